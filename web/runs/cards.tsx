/** What needs me, and what is running: cards above the list. */
import type { RunSummary } from '../../src/operations/live/run-summary.ts';
import { Icon } from '../icons.tsx';
import { Choices } from '../parts.tsx';
import { to } from '../route.ts';
import { useNow } from '../use-now.ts';
import { durationText, plural, spendingText, timeText } from '../words.ts';

const MOST_CARDS = 6;

function isAsking({ questions, status }: RunSummary): boolean {
  return questions.length > 0 && status === 'waiting';
}

/** It has a card. */
export function isNow(run: RunSummary): boolean {
  return run.status === 'running' || isAsking(run);
}

export function Cards({ ws, runs }: { readonly ws: string; readonly runs: readonly RunSummary[] }) {
  const asking = runs.filter(isAsking);
  const running = runs.filter((run) => run.status === 'running');
  if (asking.length + running.length === 0) return null;
  return (
    <div class="now">
      {asking.slice(0, MOST_CARDS).map((run) => (
        <AskCard key={run.run_id} ws={ws} run={run} />
      ))}
      {running.slice(0, MOST_CARDS).map((run) => (
        <LiveCard key={run.run_id} ws={ws} run={run} />
      ))}
    </div>
  );
}

function AskCard({ ws, run }: { readonly ws: string; readonly run: RunSummary }) {
  const [question] = run.questions;
  if (question === undefined) return null;
  const cost = spendingText(run.totals);
  const others = run.questions.length - 1;
  return (
    <section class="card nowc askc" aria-label={`Question of ${run.title}`}>
      <div class="top">
        <span class="c-ask">
          <Icon name="waiting" />
        </span>
        <span class="t">{run.title}</span>
        <span class="faint">{question.key}</span>
        <span class="ago">since {timeText(question.asked_at)}</span>
      </div>
      <div class="q">{question.message}</div>
      <div class="quiet">
        {plural(run.totals.steps_completed, 'step')} done
        {run.totals.steps_skipped > 0 ? `, ${run.totals.steps_skipped} skipped` : ''}
        {cost === undefined ? '' : `, ${cost}`}.{others > 0 ? ` ${plural(others, 'more question')}.` : ''}
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
        <span class="t">{run.title}</span>
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
      <div class="quiet mono" title={run.current_step}>
        {run.current_step ?? ''}
      </div>
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
