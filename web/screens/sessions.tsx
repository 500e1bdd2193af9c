/** Which sessions are there, and where is each task? */
import type { SessionList } from '../../src/operations/sessions/list-sessions.ts';
import { act, isReadOnly } from '../api.ts';
import { Icon } from '../icons.tsx';
import { Button, Empty, Pill } from '../parts.tsx';
import { go, route, to, withQuery } from '../route.ts';
import { useLive, useLiveData, useThrottled } from '../use-data.ts';
import { durationText, plural, spendingText, TONE } from '../words.ts';
import { ScreenPage } from './screen.tsx';
import { TASK_ICONS, type Task, type TaskQuestion } from './task.ts';
import { TaskGraph } from './task-graph.tsx';
import { TaskPanel } from './task-panel.tsx';

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
  readonly questions: readonly TaskQuestion[];
  readonly tree: readonly Task[];
}

const COLUMNS = [
  ['pending', 'Pending'],
  ['active', 'Active'],
  ['blocked', 'Blocked'],
  ['completed', 'Completed'],
] as const;

const SHOWN: { readonly [state: string]: string } = { active: 'running', completed: 'completed' };
const WORDS: { readonly [state: string]: string } = {
  active: 'Active',
  paused: 'Paused',
  completed: 'Completed',
  archived: 'Archived',
};

export function Sessions({ ws, id }: { readonly ws: string; readonly id: string }) {
  return id === '' ? <SessionsList ws={ws} /> : <OneSession ws={ws} id={id} />;
}

function SessionsList({ ws }: { readonly ws: string }) {
  const { value, problem, again } = useLiveData<SessionList>(`w/${ws}/sessions`, 'sessions');
  const sessions = value?.sessions ?? [];
  return (
    <ScreenPage
      title="Sessions"
      problem={problem}
      sum={value === undefined ? ' ' : `${plural(sessions.length, 'session')}.`}
    >
      {value !== undefined && sessions.length === 0 ? (
        <Empty text="No sessions yet. Start one:" command={'orchestrate session start "Add a login page"'} />
      ) : null}
      {sessions.map((session) => (
        <section class="card item" key={session.id} aria-label={session.id}>
          <div class="top">
            <Pill status={SHOWN[session.state] ?? 'skipped'} word={WORDS[session.state] ?? session.state} />
            <a class="link" href={to(ws, 'sessions', session.id)}>
              {session.project === '' ? session.id : session.project}
            </a>
            <span class="faint mono">{session.id}</span>
            <span class="ago">
              {session.done} of {plural(session.total, 'task')} done
            </span>
          </div>
          <div class="prog">
            <i style={{ width: `${(100 * session.done) / Math.max(1, session.total)}%` }} />
          </div>
          {isReadOnly() || session.state === 'completed' ? null : (
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
  const at = `w/${ws}/sessions/${encodeURIComponent(id)}`;
  const { value, problem, again } = useLiveData<Summary>(at, 'sessions');
  // Tasks are steps of a run.
  useLive(
    'runs',
    useThrottled(() => void again(), 500),
  );
  const { query } = route.value;
  const view = query.get('view') === 'graph' ? 'graph' : 'board';
  const tasks = (value?.tree ?? [])
    .flatMap((task) => [task, ...(task.subtasks ?? [])])
    .filter((task) => (task.subtasks ?? []).length === 0);
  const asked = query.get('task') ?? '';
  const chosen = tasks.find((task) => task.id === asked);
  const questionsOf = (task: Task) =>
    (value?.questions ?? []).filter(({ key }) => key.startsWith(`${task.id}/`));
  const select = (task: string) => go(withQuery({ task: task === asked ? '' : task }), true);
  return (
    <ScreenPage
      title={value?.project ?? id}
      crumb={{ word: 'Sessions', href: to(ws, 'sessions') }}
      problem={problem}
      sum={value === undefined ? ' ' : sumOf(value, tasks)}
      right={
        <span class="seg">
          {VIEWS.map(([name, word]) => (
            <button
              type="button"
              key={name}
              aria-pressed={view === name}
              onClick={() => go(withQuery({ view: name }), true)}
            >
              {word}
            </button>
          ))}
        </span>
      }
    >
      {value !== undefined && tasks.length === 0 ? (
        <Empty text="The session has no tasks. Plan some:" command={'orchestrate plan "Add a login page"'} />
      ) : null}
      <div class={chosen === undefined ? '' : 'split wide'}>
        {tasks.length === 0 ? null : view === 'graph' ? (
          <section class="card" aria-label="Dependency graph">
            <TaskGraph tasks={tasks} selected={asked} onSelect={select} />
          </section>
        ) : (
          <div class="board">
            {COLUMNS.map(([status, word]) => {
              const here = tasks.filter((task) => task.status === status);
              return (
                <div key={status}>
                  <h2>
                    {word} <span class="faint">{here.length}</span>
                  </h2>
                  {here.map((task) => (
                    <TaskCard
                      key={task.id}
                      task={task}
                      isOn={task.id === asked}
                      asks={questionsOf(task).length > 0}
                      onSelect={select}
                    />
                  ))}
                </div>
              );
            })}
          </div>
        )}
        {chosen === undefined ? null : (
          <TaskPanel
            key={chosen.id}
            ws={ws}
            session={id}
            task={chosen}
            questions={questionsOf(chosen)}
            onDone={again}
          />
        )}
      </div>
    </ScreenPage>
  );
}

const VIEWS = [
  ['board', 'Board'],
  ['graph', 'Dependencies'],
] as const;

function sumOf({ cost, running, questions }: Summary, tasks: readonly Task[]): string {
  const done = tasks.filter(({ status }) => status === 'completed').length;
  const parts = [`${done} of ${plural(tasks.length, 'task')} done`];
  const spent = spendingText(cost);
  if (spent !== undefined) parts.push(spent);
  if (questions.length > 0) parts.push(`${plural(questions.length, 'question')} for you`);
  if (running !== null) parts.push('running');
  return parts.join(' · ');
}

function TaskCard(props: {
  readonly task: Task;
  readonly isOn: boolean;
  readonly asks: boolean;
  onSelect(task: string): void;
}) {
  const { task } = props;
  const icon = TASK_ICONS[task.status] ?? 'skipped';
  return (
    <button
      type="button"
      class={`card task ${props.isOn ? 'on' : ''}`}
      aria-pressed={props.isOn}
      onClick={() => props.onSelect(task.id)}
    >
      <span class="top">
        <span class={`c-${TONE[icon] ?? 'skip'}`}>
          <Icon name={icon} />
        </span>
        <span class="faint mono">{task.id}</span>
        {props.asks ? <span class="pill s-ask">asks you</span> : null}
        {task.worked_ms === undefined ? null : <span class="ago">{durationText(task.worked_ms)}</span>}
      </span>
      <b>{task.title}</b>
      {task.waits_for.length === 0 ? null : <span class="quiet">waits for {task.waits_for.join(', ')}</span>}
      {task.last_error === undefined ? null : <span class="c-bad clamp">{task.last_error}</span>}
    </button>
  );
}
