/** What waits in the queues of agents? */
import type { Task } from '../../src/operations/queues/list-queue.ts';
import { act, isReadOnly } from '../api.ts';
import { ActionTable, Button, Empty, Pill } from '../parts.tsx';
import { useLiveData } from '../use-data.ts';
import { ScreenPage } from './screen.tsx';

interface Found {
  readonly waiting: readonly Task[];
  readonly taken: readonly Task[];
}

export function Queues({ ws }: { readonly ws: string }) {
  const { value, problem, again } = useLiveData<Found>(`w/${ws}/queues`, 'queues');
  const finish = async (command: string, task: string) => {
    await act(ws, { command, task });
    await again();
  };
  const all = [
    ...(value?.waiting ?? []).map((task) => ({ task, state: 'waiting' })),
    ...(value?.taken ?? []).map((task) => ({ task, state: 'taken' })),
  ];
  return (
    <ScreenPage
      title="Queues"
      problem={problem}
      sum={value === undefined ? ' ' : `${value.waiting.length} waiting, ${value.taken.length} taken.`}
    >
      {value !== undefined && all.length === 0 ? (
        <Empty
          text="All queues are empty. Add a task:"
          command="orchestrate queue put engineer --file task.md"
        />
      ) : null}
      {all.length === 0 ? null : (
        <div class="card">
          <ActionTable columns={['Agent', 'Task', 'State']}>
            {all.map(({ task, state }) => (
              <tr key={task.path}>
                <td>{task.agent}</td>
                <td>
                  <b>{task.path.split('/').at(-1)}</b>
                  <div class="faint mono">{task.path}</div>
                </td>
                <td>
                  <Pill
                    status={state === 'taken' ? 'running' : 'skipped'}
                    word={state === 'taken' ? 'Taken' : 'Waiting'}
                  />
                </td>
                <td class="num">
                  {state === 'taken' && !isReadOnly() ? (
                    <span class="acts">
                      <Button label="Done" kind="sm" onClick={() => finish('queue-done', task.path)} />
                      <Button
                        label="Failed"
                        kind="sm ghost"
                        onClick={() => finish('queue-fail', task.path)}
                      />
                    </span>
                  ) : null}
                </td>
              </tr>
            ))}
          </ActionTable>
        </div>
      )}
    </ScreenPage>
  );
}
