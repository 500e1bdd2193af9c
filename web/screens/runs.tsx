/** What needs me, what is going on? */
import { useEffect, useRef, useState } from 'preact/hooks';
import type { RunSummary } from '../../src/operations/live/run-summary.ts';
import type { Span } from '../../src/operations/live/timeline.ts';
import { act, isReadOnly, type RunsFound } from '../api.ts';
import { Icon } from '../icons.tsx';
import { isTyping } from '../keys.ts';
import type { LiveMessage } from '../live/stream.ts';
import { Button, Choices, Empty, Pill } from '../parts.tsx';
import { go, route, to, withQuery } from '../route.ts';
import { useLiveData } from '../use-data.ts';
import { durationText, plural, STATUS_WORDS, spendingText, TONE, timeText, usdText } from '../words.ts';

const CHIPS = ['waiting', 'running', 'failed', 'interrupted', 'completed', 'cancelled', 'damaged'];
const PAGE = 50;

export function Runs({ ws, onStart, onClean }: { readonly ws: string; onStart(): void; onClean(): void }) {
  const { query } = route.value;
  const status = query.get('status') ?? '';
  const kind = query.get('kind') ?? '';
  const q = query.get('q') ?? '';
  const [limit, setLimit] = useState(PAGE);
  const asked = new URLSearchParams({ limit: String(limit) });
  for (const [name, value] of Object.entries({ status, kind, q })) if (value !== '') asked.set(name, value);
  const isWhole = status === '' && q === '' && kind === '';
  const { value, problem } = useLiveData<RunsFound>(`w/${ws}/runs?${asked}`, 'runs', {
    ms: 1000,
    apply: (before, message) => (isWhole && message.ws === ws ? merged(before, message) : before),
  });
  const runs = value?.runs ?? [];
  const asking = runs.filter((run) => run.questions.length > 0 && run.status === 'waiting');
  const running = runs.filter((run) => run.status === 'running');
  const [at, setAt] = useRowKeys(runs, (run) => go(to(ws, 'runs', run.run_id)));
  return (
    <main class="page" tabIndex={-1}>
      <div class="toph">
        <h1>Runs</h1>
        <span class="right">
          {isReadOnly() ? null : (
            <>
              <button type="button" class="btn ghost" onClick={onClean}>
                Clean up…
              </button>
              <button type="button" class="btn primary" onClick={onStart}>
                <Icon name="plus" />
                Start a workflow
                <kbd>N</kbd>
              </button>
            </>
          )}
        </span>
      </div>
      <p class="sum">{value === undefined ? ' ' : <Sum counts={value.counts} runs={runs} />}</p>
      {problem === undefined ? null : (
        <p class="banner" role="alert">
          {problem.message}
        </p>
      )}
      {asking.length + running.length === 0 ? null : (
        <div class="now">
          {asking.slice(0, 6).map((run) => (
            <AskCard key={run.run_id} ws={ws} run={run} />
          ))}
          {running.slice(0, 6).map((run) => (
            <LiveCard key={run.run_id} ws={ws} run={run} />
          ))}
        </div>
      )}
      <div class="filters">
        <Chip
          label="All"
          count={value?.all ?? 0}
          isOn={status === ''}
          onClick={() => go(withQuery({ status: '' }))}
        />
        {CHIPS.filter((each) => (value?.counts[each] ?? 0) > 0 || each === status).map((each) => (
          <Chip
            key={each}
            icon={each}
            label={STATUS_WORDS[each] ?? each}
            count={value?.counts[each] ?? 0}
            isOn={status === each}
            onClick={() => go(withQuery({ status: each === status ? '' : each }))}
          />
        ))}
        {(value?.kinds.length ?? 0) > 1 ? (
          <span class="chip">
            <select
              aria-label="Kind"
              value={kind}
              onChange={(event) => go(withQuery({ kind: event.currentTarget.value }))}
            >
              <option value="">Every kind</option>
              {value?.kinds.map((each) => (
                <option key={each}>{each}</option>
              ))}
            </select>
          </span>
        ) : null}
        <label class="search">
          <Icon name="search" />
          <input
            data-search
            aria-label="Search runs"
            placeholder="Title, step, id, error"
            value={q}
            onInput={(event) => go(withQuery({ q: event.currentTarget.value }), true)}
          />
          <kbd>/</kbd>
        </label>
      </div>
      {value !== undefined && runs.length === 0 ? (
        value.all === 0 ? (
          <Empty
            text="No runs yet. Start one here, or in a terminal:"
            command="orchestrate run workflow.yaml"
          />
        ) : (
          <Empty text="No run matches." />
        )
      ) : (
        <div class="card tbl">
          <div class="th" aria-hidden="true">
            <div>Status</div>
            <div>Run</div>
            <div>Steps, by time</div>
            <div>Started</div>
            <div class="num">Worked</div>
            <div class="num">Cost</div>
            <div />
          </div>
          {runs.map((run, index) => (
            <RunRow key={run.run_id} ws={ws} run={run} isOn={index === at} onPoint={() => setAt(index)} />
          ))}
        </div>
      )}
      {value !== undefined && value.total > runs.length ? (
        <p class="sum">
          <Button
            label={`Show more of ${plural(value.total, 'run')}`}
            onClick={() => setLimit(Math.min(500, limit + 100))}
          />
        </p>
      ) : null}
    </main>
  );
}

/** Counts follow with the next answer. */
function merged(before: RunsFound, message: LiveMessage): RunsFound {
  const changed = (message['changed'] ?? []) as readonly RunSummary[];
  const removed = new Set((message['removed'] ?? []) as readonly string[]);
  const revision = Number(message['revision']);
  if (revision <= before.revision || changed.length + removed.size === 0) return before;
  const all = new Map([...before.runs, ...changed].map((run) => [run.run_id, run]));
  const runs = [...all.values()].filter(({ run_id }) => !removed.has(run_id));
  return { ...before, revision, runs: runs.sort((a, b) => (a.run_id < b.run_id ? 1 : -1)) };
}

function Sum({
  counts,
  runs,
}: {
  readonly counts: RunsFound['counts'];
  readonly runs: readonly RunSummary[];
}) {
  const today = new Date().toDateString();
  const cost = runs
    .filter(({ started_at }) => new Date(started_at).toDateString() === today)
    .reduce((sum, { totals }) => sum + totals.cost_usd, 0);
  const parts = [
    [counts['waiting'] ?? 0, 'waiting for you'],
    [counts['running'] ?? 0, 'running'],
    [counts['failed'] ?? 0, 'failed'],
    [counts['interrupted'] ?? 0, 'interrupted'],
  ] as const;
  const shown = parts.filter(([count]) => count > 0);
  return (
    <>
      {shown.length === 0 ? 'Nothing is waiting for you. ' : null}
      {shown.map(([count, word], index) => (
        <span key={word}>
          <b>{count}</b> {word}
          {index === shown.length - 1 ? '. ' : ', '}
        </span>
      ))}
      {cost > 0 ? (
        <span>
          <b>{usdText(cost)}</b> today.
        </span>
      ) : null}
    </>
  );
}

function Chip(props: {
  readonly label: string;
  readonly count: number;
  readonly icon?: string;
  readonly isOn: boolean;
  onClick(): void;
}) {
  return (
    <button type="button" class="chip" aria-pressed={props.isOn} onClick={props.onClick}>
      {props.icon === undefined ? null : (
        <span class={`c-${TONE[props.icon]}`}>
          <Icon name={props.icon} />
        </span>
      )}
      {props.label} <em>{props.count}</em>
    </button>
  );
}

function AskCard({ ws, run }: { readonly ws: string; readonly run: RunSummary }) {
  const [question] = run.questions;
  if (question === undefined) return null;
  const cost = spendingText(run.totals);
  return (
    <section class="card nowc askc" aria-label={`Question of ${run.title}`}>
      <div class="top">
        <span class="c-ask">
          <Icon name="waiting" />
        </span>
        {run.title}
        <span class="faint">{question.key}</span>
        <span class="ago">since {timeText(question.asked_at)}</span>
      </div>
      <div class="q">{question.message}</div>
      <div class="quiet">
        {plural(run.totals.steps_completed, 'step')} done
        {run.totals.steps_skipped > 0 ? `, ${run.totals.steps_skipped} skipped` : ''}
        {cost === undefined ? '' : `, ${cost}`}.
      </div>
      <div class="acts">
        <Choices ws={ws} run={run.run_id} question={question} size="sm" />
        <a class="btn ghost sm" href={to(ws, 'runs', run.run_id)}>
          Look first
        </a>
      </div>
    </section>
  );
}

function LiveCard({ ws, run }: { readonly ws: string; readonly run: RunSummary }) {
  const { progress } = run;
  const now = useNow();
  return (
    <section class="card nowc" aria-label={`${run.title} is running`}>
      <div class="top">
        <span class="c-run pulse">
          <Icon name="running" />
        </span>
        {run.title}
        <span class="ago">{durationText(now - Date.parse(run.started_at))} so far</span>
      </div>
      <div class="q">
        {progress === undefined
          ? `${plural(run.totals.steps_completed, 'step')} done`
          : `${progress.done} of ${progress.total} items done`}
      </div>
      {progress === undefined ? null : (
        <div class="prog">
          <i style={{ width: `${(100 * progress.done) / Math.max(1, progress.total)}%` }} />
          <i class="r" style={{ width: `${100 / Math.max(1, progress.total)}%` }} />
        </div>
      )}
      <div class="quiet mono">{run.current_step ?? ''}</div>
      <div class="acts">
        <a class="btn sm" href={to(ws, 'runs', run.run_id)}>
          Open
        </a>
        {run.current_step === undefined ? null : (
          <a
            class="btn ghost sm"
            href={`${to(ws, 'runs', run.run_id)}?step=${encodeURIComponent(run.current_step)}&tab=log`}
          >
            Follow log
          </a>
        )}
      </div>
    </section>
  );
}

/** The time, every second. */
export function useNow(): number {
  const [now, setNow] = useState(Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1000);
    return () => clearInterval(timer);
  }, []);
  return now;
}

function RunRow(props: {
  readonly ws: string;
  readonly run: RunSummary;
  readonly isOn: boolean;
  onPoint(): void;
}) {
  const { ws, run, isOn } = props;
  const href = to(ws, 'runs', run.run_id);
  // Links and buttons in it do what they say; links stay without a reload only if the click reaches the document.
  const openRow = ({ target }: Event) => {
    if ((target as Element).closest('a, button') === null) go(href);
  };
  return (
    <div class={`trw ${isOn ? 'on' : ''}`} onClick={openRow} onMouseMove={props.onPoint}>
      <div>
        <Pill status={run.status} />
      </div>
      <div>
        <div class="ti">
          <a href={href}>{run.title}</a>
          <span class="k">{run.kind === 'workflow' ? '' : run.kind}</span>
          {run.mark === undefined ? null : <span class="k">{run.mark}</span>}
        </div>
        <div class="su">{run.line}</div>
      </div>
      <div>
        <Strip {...run.strip} />
      </div>
      <div class="muted">{timeText(run.started_at)}</div>
      <div class="num">{durationText(run.duration_ms)}</div>
      <div class="num">
        {spendingText(run.totals)?.replace('cost unknown', 'unknown') ?? <span class="faint">–</span>}
      </div>
      <div class="acts">
        <RowAction ws={ws} run={run} />
      </div>
    </div>
  );
}

function RowAction({ ws, run }: { readonly ws: string; readonly run: RunSummary }) {
  const href = to(ws, 'runs', run.run_id);
  if (isReadOnly()) return null;
  switch (run.status) {
    case 'waiting':
      return run.questions.length === 0 ? null : (
        <a class="btn sm" href={href}>
          Answer
        </a>
      );
    case 'running':
      return (
        <Button label="Stop" kind="sm" onClick={() => act(ws, { command: 'cancel', run: run.run_id })} />
      );
    case 'failed':
    case 'interrupted':
      return (
        <Button label="Resume" kind="sm" onClick={() => act(ws, { command: 'resume', run: run.run_id })} />
      );
    default:
      return null;
  }
}

const WIDTH = 220;

/** Steps by time: each has at least three pixels, so that a failure is seen. */
function Strip({ spans }: { readonly from: number; readonly to: number; readonly spans: readonly Span[] }) {
  const least = 3;
  const room = Math.max(0, WIDTH - spans.length * (least + 1.4));
  const worked =
    spans.reduce((sum, [status, start, end]) => sum + (status === 'waiting' ? 0 : end - start), 0) || 1;
  // A question may wait for days: it takes no more than a third of the strip.
  const lengthOf = ([status, start, end]: Span) =>
    status === 'waiting' ? Math.min(end - start, worked / 2) : end - start;
  const total = spans.reduce((sum, span) => sum + lengthOf(span), 0) || 1;
  let x = 0;
  return (
    <svg
      class="strip"
      viewBox={`0 0 ${WIDTH} 16`}
      preserveAspectRatio="none"
      role="img"
      aria-label={plural(spans.length, 'step')}
    >
      {spans.map((span, index) => {
        const [status] = span;
        const width = least + (room * lengthOf(span)) / total;
        const left = x;
        x += width + 1.4;
        const tone = TONE[status] ?? 'skip';
        const fill =
          tone === 'ok'
            ? '--ok-bar'
            : tone === 'ask'
              ? '--ask-bar'
              : tone === 'skip'
                ? '--line2'
                : `--${tone}`;
        return (
          <rect
            key={index}
            x={left}
            y="3"
            width={width}
            height="10"
            rx="2"
            style={{ fill: `var(${fill})` }}
          />
        );
      })}
    </svg>
  );
}

/** `j`, `k` and Enter. */
function useRowKeys(
  runs: readonly RunSummary[],
  open: (run: RunSummary) => void,
): readonly [number, (at: number) => void] {
  const [at, setAt] = useState(-1);
  const latest = useRef({ at, runs });
  latest.current = { at, runs };
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      const target = event.target as HTMLElement;
      if (event.metaKey || event.ctrlKey || isTyping(event)) return;
      if (event.key === 'j') setAt((before) => Math.min(latest.current.runs.length - 1, before + 1));
      else if (event.key === 'k') setAt((before) => Math.max(0, before - 1));
      else if (event.key === 'Enter' && !/^(A|BUTTON)$/.test(target.tagName)) {
        const run = latest.current.runs[latest.current.at];
        if (run !== undefined) open(run);
      }
    };
    addEventListener('keydown', press);
    return () => removeEventListener('keydown', press);
  }, []);
  return [at, setAt];
}
