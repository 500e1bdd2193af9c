/** A run of the list. */
import type { RunSummary } from '../../src/operations/live/run-summary.ts';
import type { Span } from '../../src/operations/live/timeline.ts';
import { isReadOnly } from '../api.ts';
import { Button, cancelRun, Pill, ResumeButton, Worked } from '../parts.tsx';
import { go, to } from '../route.ts';
import { canResume, plural, spendingText, TONE, timeText } from '../words.ts';

export function RunRow(props: {
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
        <Line run={run} />
      </div>
      <div>
        <Strip {...run.strip} />
      </div>
      <div class="muted">{timeText(run.started_at)}</div>
      <div class="num">
        <Worked run={run} />
      </div>
      <div class="num">
        {spendingText(run.totals)?.replace('cost unknown', 'unknown') ?? <span class="faint">–</span>}
      </div>
      <div class="acts">
        <RowAction ws={ws} run={run} />
      </div>
    </div>
  );
}

/** The reason of a failure is seen however long the name of the step is. */
function Line({ run: { line, status, error } }: { readonly run: RunSummary }) {
  const start = `${error?.step}: `;
  if (status !== 'failed' || !line.startsWith(start))
    return (
      <div class="su" title={line}>
        {line}
      </div>
    );
  return (
    <div class="su why" title={line}>
      <span class="at">{error?.step}</span>
      <span class="what">: {line.slice(start.length)}</span>
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
      return <Button label="Cancel" kind="sm" onClick={() => cancelRun(ws, run)} />;
    case 'failed':
    case 'interrupted':
      return canResume(run) ? <ResumeButton ws={ws} run={run} kind="sm" /> : null;
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
