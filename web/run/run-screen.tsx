/** Where is it, why, and what did it cost? */
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { Flow } from '../../src/operations/live/flow.ts';
import type { RunSummary } from '../../src/operations/live/run-summary.ts';
import type { StepRow, StepsFound } from '../../src/operations/live/step-row.ts';
import type { Timeline } from '../../src/operations/live/timeline.ts';
import { act, download, isReadOnly } from '../api.ts';
import { Icon } from '../icons.tsx';
import { isTyping } from '../keys.ts';
import type { LiveMessage } from '../live/stream.ts';
import { AskedAbout, Button, Choices, Pill } from '../parts.tsx';
import { go, route, to, withQuery } from '../route.ts';
import { useData, useLive, useLiveData } from '../use-data.ts';
import { durationText, plural, spendingText, timeText, tokensText, usesTokens } from '../words.ts';
import { FlowView } from './flow-view.tsx';
import { type ListEntry, RowStore } from './row-store.ts';
import { StepPanel } from './step-panel.tsx';
import { StepsTree, shownName } from './steps-tree.tsx';

interface RunFound {
  readonly summary: RunSummary;
  readonly damage?: { readonly message: string };
  readonly rows: number;
  readonly seq: number;
  readonly generation: number;
}

/** A message with rows also has the run as it is now. */
function applied(found: RunFound, message: LiveMessage): RunFound {
  const { summary, seq, generation, damage } = message;
  if (summary === undefined || generation !== found.generation || Number(seq) < found.seq) return found;
  const { damage: _before, ...rest } = found;
  return {
    ...rest,
    summary: summary as RunSummary,
    seq: Number(seq),
    ...(damage === undefined ? {} : { damage: { message: String(damage) } }),
  };
}

const SORTS = [
  ['', 'In order'],
  ['slowest', 'Slowest'],
  ['dearest', 'Dearest'],
] as const;

export function RunScreen({ ws, runId }: { readonly ws: string; readonly runId: string }) {
  const at = `w/${ws}/runs/${runId}`;
  const { query } = route.value;
  const [, redraw] = useState(0);
  const store = useMemo(() => new RowStore(at, () => redraw((count) => count + 1)), [at]);
  const topic = `run:${runId}`;
  const run = useLiveData<RunFound>(at, topic, { ms: 1000, apply: applied });
  const flow = useLiveData<Flow>(`${at}/flow`, topic, { ms: 1000 });
  const timeline = useLiveData<Timeline>(`${at}/timeline?px=400`, topic, { ms: 1000 });
  const [isGone, setGone] = useState(false);
  /** The rows are loaded once, and again after a reset or if the journal is another one. */
  const loaded = useRef<number | undefined>();
  const { generation, rows = 0 } = run.value ?? {};
  const load = (count: number) => {
    // A run that has just been removed is reported by the request for the run itself.
    store.load(count).catch(() => {
      loaded.current = undefined;
    });
  };
  useEffect(() => {
    if (generation === undefined || loaded.current === generation) return;
    loaded.current = generation;
    load(rows);
  }, [run.value, store]);
  useLive(topic, (message) => {
    setGone(message.gone === true);
    if (message.reset === true && loaded.current !== undefined) load(Number(message['rows'] ?? rows));
    if (message['rows'] !== undefined && message['seq'] !== undefined)
      store.apply(message['rows'] as readonly StepRow[], {
        seq: Number(message['seq']),
        generation: Number(message['generation']),
      });
  });
  const sort = query.get('sort') ?? '';
  const q = query.get('q') ?? '';
  const flat = useFlat(at, topic, { sort, q });
  const entries = flat ?? store.entries();
  const selected = query.get('step') ?? firstOf(run.value?.summary) ?? entries[0]?.row?.key ?? '';
  const known = store.row(selected);
  const asked = useRow(at, known === undefined ? selected : '');
  const row = known ?? asked;
  const select = (key: string) => go(withQuery({ step: key }), true);
  useTreeKeys(entries, selected, store, select);
  const summary = run.value?.summary;
  if (run.problem !== undefined && summary === undefined)
    return (
      <main class="page" tabIndex={-1}>
        <div class="toph">
          <h1>Run {runId}</h1>
        </div>
        <p class="banner" role="alert">
          {run.problem.status === 404
            ? 'This run does not exist, or its folder was removed.'
            : run.problem.message}
        </p>
        <a class="btn" href={to(ws, 'runs')}>
          All runs
        </a>
      </main>
    );
  if (summary === undefined) return <main class="page" aria-busy="true" />;
  return (
    <main class="run-main fill" tabIndex={-1}>
      <div>
        <Head ws={ws} at={at} summary={summary} selected={row} />
        {isGone ? (
          <p class="banner" role="alert">
            The folder of this run was removed. What you see is what it was.
          </p>
        ) : null}
        {run.value?.damage === undefined ? null : (
          <p class="banner" role="alert">
            The journal is damaged. Everything before the damage is shown. {run.value.damage.message}
          </p>
        )}
      </div>
      <Ask ws={ws} summary={summary} />
      <div class="card graph">
        <div class="cardhead">
          Flow<span class="faint sub">what ran, how often, which way it went</span>
        </div>
        {flow.value === undefined ? null : (
          <FlowView flow={flow.value} selected={selected} onSelect={select} />
        )}
      </div>
      <div class="split">
        <section class="card tl" aria-label="Steps and their times">
          <div class="cardhead">
            Steps
            <span class="seg">
              {SORTS.map(([name, word]) => (
                <button
                  type="button"
                  key={name}
                  aria-pressed={sort === name}
                  onClick={() => go(withQuery({ sort: name }), true)}
                >
                  {word}
                </button>
              ))}
            </span>
            <label class="search">
              <Icon name="search" />
              <input
                data-search
                aria-label="Filter steps"
                placeholder="Filter steps"
                value={q}
                onInput={(event) => go(withQuery({ q: event.currentTarget.value }), true)}
              />
              <kbd>/</kbd>
            </label>
          </div>
          <StepsTree
            entries={entries}
            timeline={timeline.value}
            selected={selected}
            isOpen={(key) => store.isOpen(key)}
            onNeed={(seen) => store.need(seen)}
            onSelect={select}
            onToggle={(key) => store.toggle(key)}
          />
          <div class="tlfoot">
            <span>
              <kbd>J</kbd> <kbd>K</kbd> move
            </span>
            <span>
              <kbd>←</kbd> <kbd>→</kbd> fold
            </span>
            <span>
              <kbd>L</kbd> log
            </span>
            <span>
              <kbd>W</kbd> why
            </span>
            <span class="right legend" aria-hidden="true">
              <i class="b agent" /> agent <i class="b cmd" /> command <i class="b ask" /> waits for a person
            </span>
          </div>
        </section>
        {row === undefined ? (
          <section class="card pane empty">Choose a step.</section>
        ) : (
          <StepPanel
            key={row.key}
            at={at}
            ws={ws}
            runId={runId}
            row={row}
            path={pathOf(store, row)}
            tab={query.get('tab') ?? ''}
            isSmall={rows < 2000}
          />
        )}
      </div>
    </main>
  );
}

/** What a visitor most likely wants to see. */
function firstOf(summary: RunSummary | undefined): string | undefined {
  return summary?.error?.key ?? summary?.questions[0]?.key ?? summary?.current_step;
}

function Head(props: {
  readonly ws: string;
  readonly at: string;
  readonly summary: RunSummary;
  readonly selected: StepRow | undefined;
}) {
  const { ws, summary, selected } = props;
  const { totals, run_id: run } = summary;
  const isOpen = ['running', 'waiting', 'interrupted'].includes(summary.status);
  const cost = spendingText(totals);
  const parts = [
    [totals.steps_completed, 'done'],
    [totals.steps_failed, 'failed'],
    [totals.steps_skipped, 'skipped'],
  ] as const;
  const steps = parts.filter(([count]) => count > 0);
  const all = steps.reduce((sum, [count]) => sum + count, 0);
  return (
    <>
      <div class="head">
        <a class="crumb" href={to(ws, 'runs')}>
          Runs /
        </a>
        <h1>{summary.title}</h1>
        <Pill
          status={summary.status}
          {...(summary.status === 'waiting' ? { word: 'Waiting for you' } : {})}
        />
        <span class="mono faint">{run}</span>
        <span class="right">
          {isReadOnly() ? null : (
            <>
              {summary.status === 'failed' || summary.status === 'interrupted' ? (
                <Button label="Resume" kind="primary" onClick={() => act(ws, { command: 'resume', run })} />
              ) : null}
              {selected === undefined || summary.kind !== 'workflow' ? null : (
                <Button
                  label={`Fork from ${selected.name}`}
                  onClick={async () => {
                    const done = await act(ws, { command: 'fork', run, step: selected.key });
                    if (done.ok && done.run !== undefined) go(to(ws, 'runs', done.run));
                  }}
                />
              )}
            </>
          )}
          <Button label="Report" onClick={() => download(`${props.at}/report.html`, `${run}.html`)} />
          {isOpen && !isReadOnly() ? (
            <Button
              label="Cancel run"
              kind="ghost danger"
              onClick={() =>
                confirm(`Cancel ${summary.title}? A cancelled run cannot be resumed.`)
                  ? act(ws, { command: 'cancel', run })
                  : undefined
              }
            />
          ) : null}
        </span>
      </div>
      <div class="facts">
        {summary.workflow_file === undefined ? <b>{summary.kind}</b> : <b>{summary.workflow_file}</b>}
        <span>
          started <b>{timeText(summary.started_at)}</b>
        </span>
        <span>
          worked <b>{durationText(summary.duration_ms)}</b>
        </span>
        <span>
          <b>{plural(all, 'step')}</b>:{' '}
          {steps.map(([count, word], index) => (
            <span key={word}>
              <b>{count}</b> {word}
              {index === steps.length - 1 ? '' : ', '}
            </span>
          ))}
        </span>
        {cost === undefined ? null : (
          <span>
            <b>{cost}</b> for {plural(totals.agent_calls, 'agent call')}
          </span>
        )}
        {!usesTokens(totals) ? null : (
          <span>
            Tokens: <b>{tokensText(totals)}</b>
          </span>
        )}
      </div>
    </>
  );
}

function Ask({ ws, summary }: { readonly ws: string; readonly summary: RunSummary }) {
  const [comment, setComment] = useState('');
  if (summary.status === 'cancelled' || summary.status === 'completed') return <div />;
  return (
    <div>
      {summary.questions.map((question) => (
        <div class="ask-band" key={question.key}>
          <span class="c-ask">
            <Icon name="person" size={20} />
          </span>
          <div>
            <div class="q">{question.message}</div>
            <div class="sub">
              {question.key} has been waiting since {timeText(question.asked_at)}. No process is needed while
              it waits; your answer resumes the run.
            </div>
            <AskedAbout ws={ws} run={summary.run_id} question={question} />
          </div>
          <span class="right" />
          {isReadOnly() ? null : (
            <input
              aria-label="Comment"
              placeholder="Comment, kept with the answer"
              value={comment}
              onInput={(event) => setComment(event.currentTarget.value)}
            />
          )}
          <Choices ws={ws} run={summary.run_id} question={question} comment={comment} />
        </div>
      ))}
    </div>
  );
}

/** The names of what it is in, outermost first, and its own. */
function pathOf(store: RowStore, row: StepRow): readonly string[] {
  const names: string[] = [];
  for (let each: StepRow | undefined = row; each !== undefined; ) {
    names.unshift(shownName(each));
    if (each.parent === null) return names;
    each = store.row(each.parent);
  }
  // Of a large run, not all are loaded.
  return row.key.split('/');
}

/** A sorted or filtered list has no tree. */
function useFlat(
  at: string,
  topic: string,
  { sort, q }: { readonly sort: string; readonly q: string },
): readonly ListEntry[] | undefined {
  const isFlat = sort !== '' || q !== '';
  const asked = new URLSearchParams({ limit: '500', sort: sort === '' ? 'order' : sort, q });
  const { value } = useLiveData<StepsFound>(isFlat ? `${at}/steps?${asked}` : undefined, topic, { ms: 1000 });
  if (!isFlat) return undefined;
  return (value?.rows ?? []).map((row, place) => ({
    row: { ...row, children: 0, name: row.key },
    depth: 0,
    parent: 'flat',
    place,
  }));
}

/** A row that no list has loaded. */
function useRow(at: string, key: string): StepRow | undefined {
  const { value } = useData<{ readonly row: StepRow }>(
    key === '' ? undefined : `${at}/steps/${encodeURIComponent(key)}`,
  );
  return value?.row;
}

function useTreeKeys(
  entries: readonly ListEntry[],
  selected: string,
  store: RowStore,
  select: (key: string) => void,
): void {
  const latest = useRef({ entries, selected, select });
  latest.current = { entries, selected, select };
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      const target = event.target as HTMLElement;
      if (event.metaKey || event.ctrlKey || event.altKey || isTyping(event)) return;
      const { entries, selected, select } = latest.current;
      const index = entries.findIndex(({ row }) => row?.key === selected);
      const move = (by: number) => {
        const key = entries[Math.min(entries.length - 1, Math.max(0, index + by))]?.row?.key;
        if (key !== undefined) select(key);
        event.preventDefault();
      };
      const tabs: { readonly [key: string]: string } = {
        ...{ l: 'log', w: 'why', p: 'prompt', t: 'transcript', f: 'files', o: 'proof' },
      };
      const isInTree = target.getAttribute('role') === 'tree';
      if (event.key === 'j' || (isInTree && event.key === 'ArrowDown')) move(1);
      else if (event.key === 'k' || (isInTree && event.key === 'ArrowUp')) move(-1);
      else if (event.key === 'ArrowRight' && target.tagName !== 'BUTTON') store.toggle(selected, true);
      else if (event.key === 'ArrowLeft' && target.tagName !== 'BUTTON') store.toggle(selected, false);
      else if (tabs[event.key] !== undefined) go(withQuery({ tab: tabs[event.key] }), true);
    };
    addEventListener('keydown', press);
    return () => removeEventListener('keydown', press);
  }, [store]);
}
