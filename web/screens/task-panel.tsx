/** One task: what is asked, what it changed, and its review. */
import { act, isReadOnly } from '../api.ts';
import { DiffView } from '../diff.tsx';
import { Icon } from '../icons.tsx';
import { AskedAbout, Button, Choices, TabBar } from '../parts.tsx';
import { go, route, to, withQuery } from '../route.ts';
import { useData } from '../use-data.ts';
import { durationText, TONE, usdText } from '../words.ts';
import { TASK_ICONS, type Task, type TaskQuestion } from './task.ts';

interface Diffs {
  readonly diffs: readonly { readonly step: string; readonly branch: string; readonly patch: string }[];
}

const TABS = [
  ['task', 'Task'],
  ['diff', 'Diff'],
  ['document', 'Document'],
] as const;

export function TaskPanel(props: {
  readonly ws: string;
  readonly session: string;
  readonly task: Task;
  readonly questions: readonly TaskQuestion[];
  onDone(): unknown;
}) {
  const { ws, session, task } = props;
  const at = `w/${ws}/sessions/${encodeURIComponent(session)}/tasks/${encodeURIComponent(task.id)}`;
  const tab = TABS.find(([name]) => name === route.value.query.get('tab'))?.[0] ?? 'task';
  const icon = TASK_ICONS[task.status] ?? 'skipped';
  return (
    <section class="card pane" aria-label={`Task ${task.id}`}>
      <div class="ph">
        <h2>
          <span class={`c-${TONE[icon] ?? 'skip'}`}>
            <Icon name={icon} />
          </span>
          <span>
            <span class="path">{task.id}</span> {task.title}
          </span>
        </h2>
        <div class="kv">
          <span>Status</span>
          <span>Agent</span>
          <span>Worked</span>
          <span>Cost</span>
          <b>{task.status}</b>
          <b>{task.agent === '' ? '–' : task.agent}</b>
          <b>{task.worked_ms === undefined ? '–' : durationText(task.worked_ms)}</b>
          <b>
            {task.cost_usd === undefined ? '–' : task.cost_usd === null ? 'unknown' : usdText(task.cost_usd)}
          </b>
        </div>
      </div>
      <TabBar tabs={TABS} chosen={tab} onChoose={(name) => go(withQuery({ tab: name }), true)} />
      <div class="body">
        {props.questions.map((question) => (
          <div class="ask-band inside" key={question.key}>
            <div>
              <div class="q">{question.message}</div>
              <AskedAbout ws={ws} run={question.run_id} question={{ key: question.key, has_more: true }} />
            </div>
            <span class="right" />
            <Choices ws={ws} run={question.run_id} question={{ ...question, asked_at: '' }} size="sm" />
          </div>
        ))}
        {tab === 'diff' ? <TaskDiff at={at} /> : null}
        {tab === 'task' ? <Asked at={at} task={task} /> : null}
        {tab === 'document' ? <Document at={at} /> : null}
        {isReadOnly() || task.status === 'completed' ? null : (
          <p class="item acts">
            {task.status === 'blocked' ? (
              <Button
                label="Unblock"
                kind="sm"
                onClick={async () => {
                  await act(ws, { command: 'task-update', session, task: task.id, status: 'pending' });
                  await props.onDone();
                }}
              />
            ) : (
              <Button
                label="Block"
                kind="sm ghost"
                onClick={async () => {
                  await act(ws, { command: 'task-update', session, task: task.id, status: 'blocked' });
                  await props.onDone();
                }}
              />
            )}
          </p>
        )}
      </div>
    </section>
  );
}

function TaskDiff({ at }: { readonly at: string }) {
  const { value, problem } = useData<Diffs>(`${at}/diff`);
  if (problem !== undefined) return <p class="quiet">{problem.message.replaceAll('`', '')}.</p>;
  return (
    <>
      {(value?.diffs ?? []).map(({ step, branch, patch }) => (
        <section key={step}>
          {branch === '' ? null : <p class="quiet mono">{branch}</p>}
          <DiffView patch={patch} />
        </section>
      ))}
    </>
  );
}

interface TaskDocument {
  readonly context?: {
    readonly requirements?: readonly string[];
    readonly acceptance?: readonly string[];
    readonly focus_paths?: readonly string[];
  };
  readonly execution?: { readonly run_id?: string };
}

function Asked({ at, task }: { readonly at: string; readonly task: Task }) {
  const { value } = useData<TaskDocument>(at);
  const context = value?.context;
  const lists = [
    ['Requirements', context?.requirements],
    ['Acceptance', context?.acceptance],
    ['Files', context?.focus_paths],
  ] as const;
  const run = value?.execution?.run_id;
  return (
    <div class="asked">
      {task.last_error === undefined ? null : <pre class="c-bad">{task.last_error}</pre>}
      {task.waits_for.length === 0 ? null : <p class="quiet">Waits for {task.waits_for.join(', ')}.</p>}
      {task.kept_branch === undefined ? null : (
        <p class="quiet">
          Its work is kept on <code>{task.kept_branch}</code>; <code>orchestrate task merge {task.id}</code>{' '}
          merges it.
        </p>
      )}
      {lists.map(([title, items]) =>
        items === undefined || items.length === 0 ? null : (
          <section key={title}>
            <b>{title}</b>
            <ul>
              {items.map((item) => (
                <li key={item}>{item}</li>
              ))}
            </ul>
          </section>
        ),
      )}
      {run === undefined ? null : (
        <a class="btn sm" href={to(route.value.ws, 'runs', run)}>
          Open its run
        </a>
      )}
    </div>
  );
}

function Document({ at }: { readonly at: string }) {
  const { value } = useData<object>(at);
  return value === undefined ? null : <pre>{JSON.stringify(value, null, 2)}</pre>;
}
