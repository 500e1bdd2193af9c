/** What waits in the queues of agents? */
import type { Task } from '../../src/operations/queues/list-queue.ts';
import { Empty } from '../parts.tsx';
import { useLiveData } from '../use-data.ts';
import { plural } from '../words.ts';
import { ScreenPage } from './screen.tsx';

interface Found {
  readonly waiting: readonly Task[];
  readonly taken: readonly Task[];
}

export function Queues({ ws }: { readonly ws: string }) {
  const { value, problem } = useLiveData<Found>(`w/${ws}/queues`, 'runs');
  const all = [
    ...(value?.waiting ?? []).map((task) => ({ task, state: 'waiting' })),
    ...(value?.taken ?? []).map((task) => ({ task, state: 'taken' })),
  ];
  return (
    <ScreenPage title="Queues" problem={problem} sum={value === undefined ? ' ' : plural(all.length, 'task')}>
      {value !== undefined && all.length === 0 ? (
        <Empty
          text="All queues are empty. Add a task:"
          command="orchestrate queue put engineer --file task.md"
        />
      ) : null}
      {all.length === 0 ? null : (
        <div class="card">
          <table class="plain">
            <thead>
              <tr>
                <th>Agent</th>
                <th>Task</th>
                <th>State</th>
              </tr>
            </thead>
            <tbody>
              {all.map(({ task, state }) => (
                <tr key={task.path}>
                  <td>{task.agent}</td>
                  <td class="mono">{task.path}</td>
                  <td>{state}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </ScreenPage>
  );
}
