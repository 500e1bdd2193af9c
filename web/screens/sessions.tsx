/** Which sessions are there, and where is each task? */
import type { SessionList } from '../../src/operations/sessions/list-sessions.ts';
import { about, act } from '../api.ts';
import { Button, Empty } from '../parts.tsx';
import { to } from '../route.ts';
import { useLiveData } from '../use-data.ts';
import { plural, spendingText } from '../words.ts';
import { ScreenPage } from './screen.tsx';

interface Task {
  readonly id: string;
  readonly title: string;
  readonly status: string;
  readonly agent: string;
  readonly depends_on: readonly string[];
  readonly waits_for: readonly string[];
  readonly last_error?: string;
  readonly subtasks?: readonly Task[];
}

interface Summary {
  readonly project?: string;
  readonly status?: string;
  readonly archived: boolean;
  readonly cost: {
    readonly cost_usd: number;
    readonly agent_calls: number;
    readonly unknown_cost_calls: number;
  };
  readonly running: { readonly runId: string } | null;
  readonly tree: readonly Task[];
}

const COLUMNS = [
  ['pending', 'Pending'],
  ['active', 'Active'],
  ['blocked', 'Blocked'],
  ['completed', 'Completed'],
] as const;

export function Sessions({ ws, id }: { readonly ws: string; readonly id: string }) {
  return id === '' ? <SessionsList ws={ws} /> : <OneSession ws={ws} id={id} />;
}

function SessionsList({ ws }: { readonly ws: string }) {
  const { value, problem, again } = useLiveData<SessionList>(`w/${ws}/sessions`, 'runs');
  const sessions = value?.sessions ?? [];
  return (
    <ScreenPage
      title="Sessions"
      problem={problem}
      sum={value === undefined ? ' ' : plural(sessions.length, 'session')}
    >
      {value !== undefined && sessions.length === 0 ? (
        <Empty text="No sessions yet. Start one:" command={'orchestrate session start "Add a login page"'} />
      ) : null}
      {sessions.map((session) => (
        <section class="card item" key={session.id} aria-label={session.id}>
          <div class="top">
            <a href={to(ws, 'sessions', session.id)}>{session.id}</a>
            <span class="faint">{session.state}</span>
            <span class="ago">
              {session.done} of {plural(session.total, 'task')} done
            </span>
          </div>
          <div class="quiet">{session.project}</div>
          <div class="prog">
            <i style={{ width: `${(100 * session.done) / Math.max(1, session.total)}%` }} />
          </div>
          {about.value?.read_only === true || session.state === 'completed' ? null : (
            <div class="acts">
              {session.state === 'active' ? (
                <Button
                  label="Pause"
                  kind="sm"
                  onClick={() => act(ws, { command: 'session-pause' }).then(again)}
                />
              ) : (
                <Button
                  label="Switch to it"
                  kind="sm"
                  onClick={() => act(ws, { command: 'session-switch', session: session.id }).then(again)}
                />
              )}
            </div>
          )}
        </section>
      ))}
      {(value?.problems ?? []).map((each) => (
        <p class="banner" key={each}>
          {each}
        </p>
      ))}
    </ScreenPage>
  );
}

function OneSession({ ws, id }: { readonly ws: string; readonly id: string }) {
  const { value, problem, again } = useLiveData<Summary>(
    `w/${ws}/sessions/${encodeURIComponent(id)}`,
    'runs',
  );
  const tasks = (value?.tree ?? [])
    .flatMap((task) => [task, ...(task.subtasks ?? [])])
    .filter(({ status }) => status !== 'container');
  return (
    <ScreenPage
      title={id}
      problem={problem}
      sum={
        value === undefined
          ? ' '
          : `${value.project ?? ''} · ${plural(tasks.length, 'task')} · ${spendingText(value.cost) ?? 'no cost'}`
      }
    >
      <div class="board">
        {COLUMNS.map(([status, word]) => (
          <div key={status}>
            <h3>
              {word} {tasks.filter((task) => task.status === status).length}
            </h3>
            {tasks
              .filter((task) => task.status === status)
              .map((task) => (
                <TaskCard key={task.id} ws={ws} session={id} task={task} onDone={again} />
              ))}
          </div>
        ))}
      </div>
    </ScreenPage>
  );
}

function TaskCard(props: {
  readonly ws: string;
  readonly session: string;
  readonly task: Task;
  onDone(): unknown;
}) {
  const { ws, session, task } = props;
  const set = async (status: string) => {
    await act(ws, { command: 'task-update', session, task: task.id, status });
    await props.onDone();
  };
  return (
    <div class="card">
      <b>{task.id}</b> {task.title}
      {task.waits_for.length === 0 ? null : <div class="quiet">needs {task.waits_for.join(', ')}</div>}
      {task.last_error === undefined ? null : <div class="c-bad">{task.last_error}</div>}
      {about.value?.read_only === true || task.status === 'completed' ? null : (
        <div class="acts">
          {task.status === 'blocked' ? (
            <Button label="Unblock" kind="sm ghost" onClick={() => set('pending')} />
          ) : null}
        </div>
      )}
    </div>
  );
}
