/** Where is it, why, and what did it cost? */
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { Flow } from '../../src/operations/live/flow.ts';
import type { RunSummary } from '../../src/operations/live/run-summary.ts';
import type { StepRow } from '../../src/operations/live/step-row.ts';
import type { Timeline } from '../../src/operations/live/timeline.ts';
import { Icon } from '../icons.tsx';
import type { LiveMessage } from '../live/stream.ts';
import { go, route, to, withQuery } from '../route.ts';
import { useLive, useLiveData } from '../use-data.ts';
import { FlowView } from './flow-view.tsx';
import { RowStore } from './row-store.ts';
import { Ask, Head, Reason } from './run-head.tsx';
import { StepPanel } from './step-panel.tsx';
import { StepsTree, shownName } from './steps-tree.tsx';
import { useTreeKeys } from './tree-keys.ts';
import { useFlat, useRow } from './use-rows.ts';

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
  const stopped =
    run.value?.summary.status === 'interrupted'
      ? entries.findLast(({ row }) => row?.status === 'interrupted')
      : undefined;
  const selected =
    query.get('step') ?? firstOf(run.value?.summary) ?? (stopped ?? entries[0])?.row?.key ?? '';
  const known = store.row(selected);
  const asked = useRow(at, known === undefined && store.isPartial ? selected : '');
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
        <Head
          ws={ws}
          at={at}
          summary={summary}
          selected={row}
          isDamaged={run.value?.damage !== undefined}
          isGone={isGone}
        />
        {isGone ? (
          <p class="banner" role="alert">
            The folder of this run was removed. What you see is what it was.
          </p>
        ) : null}
        {run.value?.damage === undefined ? null : (
          <p class="banner" role="alert">
            The journal is damaged: {run.value.damage.message}. Everything before the damage is shown;{' '}
            <code>orchestrate doctor</code> says what can be saved.
          </p>
        )}
        <Reason summary={summary} />
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

/** The names of what it is in, outermost first, and its own. */
function pathOf(store: RowStore, row: StepRow): readonly string[] {
  const names: string[] = [];
  for (let each: StepRow | undefined = row; each !== undefined; ) {
    names.unshift(shownName(each));
    if (each.parent === null) return names;
    each = store.row(each.parent);
  }
  // A large run is not loaded whole.
  return row.key.split('/');
}
