/** One loop: what did each iteration do, what did it cost, what proves it? */
import { useState } from 'preact/hooks';
import type { IterationReport, LoopReport } from '../../src/model/loop-report.ts';
import type { ReadLoop } from '../../src/operations/loops/read-loop.ts';
import { DiffView } from '../diff.tsx';
import { Icon } from '../icons.tsx';
import { Choices, Empty, Pill } from '../parts.tsx';
import { go, route, to, withQuery } from '../route.ts';
import { useData, useLive, useLiveData, useThrottled } from '../use-data.ts';
import { durationText, plural, spendingText, timeText } from '../words.ts';
import { lineOf, stateOf } from './loop-state.ts';
import { LoopActions } from './loops.tsx';
import { ScreenPage } from './screen.tsx';

interface Found extends Omit<ReadLoop, 'status'> {
  readonly status: { readonly complete?: boolean; readonly summary?: string } | null;
  readonly report: LoopReport | null;
}

const PROOF: { readonly [type: string]: string } = {
  verified: 'verified by another agent call',
  checked: 'checked by commands',
  claimed: 'claimed by the agent only',
  refuted: 'refuted by a check or a verification',
  none: 'nothing is claimed',
};

export function Loop({ ws, name }: { readonly ws: string; readonly name: string }) {
  const at = `w/${ws}/loops/${encodeURIComponent(name)}`;
  const { value, problem, again } = useLiveData<Found>(at, 'loops');
  // Iterations are steps of a run.
  useLive(
    'runs',
    useThrottled(() => void again(), 500),
  );
  const report = value?.report ?? undefined;
  const asked = Number(route.value.query.get('iteration') ?? '0');
  const chosen = report?.iterations.find(({ iteration }) => iteration === asked) ?? report?.iterations.at(-1);
  return (
    <ScreenPage
      title={name}
      crumb={{ word: 'Loops', href: to(ws, 'loops') }}
      problem={problem}
      sum={value === undefined ? ' ' : sumOf(value)}
      right={value === undefined ? null : <State ws={ws} name={name} loop={value} />}
    >
      {value === undefined ? null : <Standing ws={ws} loop={value} />}
      {value !== undefined && report === undefined ? (
        <Empty text="It has not been run yet:" command={`orchestrate iterate run ${name}`} />
      ) : null}
      {report === undefined ? null : (
        <>
          <Iterations report={report} chosen={chosen?.iteration} />
          <div class="two">
            {chosen === undefined ? null : (
              <Iteration key={chosen.iteration} ws={ws} at={at} report={report} iteration={chosen} />
            )}
          </div>
        </>
      )}
    </ScreenPage>
  );
}

function asListed({ metadata, left, pid }: Found): Parameters<typeof stateOf>[0] {
  return { metadata, isRunning: pid !== undefined, ...(left === undefined ? {} : { left }) };
}

function State({ ws, name, loop }: { readonly ws: string; readonly name: string; readonly loop: Found }) {
  const [status, word] = stateOf(asListed(loop));
  return (
    <>
      <Pill status={status} word={word} />
      {status === 'waiting' ? null : <LoopActions ws={ws} name={name} isRunning={loop.pid !== undefined} />}
    </>
  );
}

/** Why it failed, or the questions it waits for. */
function Standing({ ws, loop }: { readonly ws: string; readonly loop: Found }) {
  const { left, report } = loop;
  if (left?.type === 'waiting')
    return (
      <div>
        {left.questions.map((question) => (
          <section class="ask-band inside" key={question.key} aria-label={`Question ${question.key}`}>
            <span class="c-ask">
              <Icon name="person" size={20} />
            </span>
            <div class="q">{question.message}</div>
            <Choices ws={ws} run={left.runId} question={{ ...question, asked_at: '' }} />
          </section>
        ))}
      </div>
    );
  const shown = asListed(loop);
  const [status] = stateOf(shown);
  return status === 'failed' ? <p class="banner reason">{report?.error ?? lineOf(shown)}</p> : null;
}

function sumOf({ report, status, metadata, remaining }: Found): string {
  const left = remaining === undefined ? '' : ` ${plural(remaining, 'item')} left.`;
  const words = status?.summary ?? metadata.stopReason ?? '';
  if (report === null) return `${words}${left}`;
  const { totals, proof } = report;
  const parts = [plural(totals.iterations, 'iteration'), durationText(totals.worked_ms)];
  const cost = spendingText(totals);
  if (cost !== undefined) parts.push(cost);
  return `${parts.join(' · ')} · ${PROOF[proof.type] ?? proof.type}.${left}`;
}

/** A bar for each iteration: as high as its time, marked by what became of it. */
function Iterations({
  report,
  chosen,
}: {
  readonly report: LoopReport;
  readonly chosen: number | undefined;
}) {
  const { iterations } = report;
  const longest = Math.max(1, ...iterations.map(({ worked_ms }) => worked_ms));
  const dearest = Math.max(...iterations.map(({ cost_usd }) => cost_usd));
  return (
    <section class="card" aria-label="Iterations">
      <div class="cardhead">
        Iterations<span class="faint sub">height: time worked; line: cost</span>
        <span class="right faint sub">last run, started {timeText(report.started_at)}</span>
      </div>
      <div class="iters">
        {iterations.map((each) => (
          <button
            type="button"
            key={each.iteration}
            class={toneOf(each)}
            aria-pressed={each.iteration === chosen}
            aria-label={`Iteration ${each.iteration}: ${durationText(each.worked_ms)}, ${spendingText(each) ?? 'no agent call'}`}
            title={`Iteration ${each.iteration}: ${durationText(each.worked_ms)}`}
            onClick={() => go(withQuery({ iteration: String(each.iteration) }), true)}
          >
            <span class="bar">
              <i style={{ height: `${Math.max(4, (100 * each.worked_ms) / longest)}%` }} />
              {dearest > 0 ? <u style={{ bottom: `${(100 * each.cost_usd) / dearest}%` }} /> : null}
            </span>
            <span class="faint">{each.iteration}</span>
          </button>
        ))}
      </div>
    </section>
  );
}

function toneOf({ checks, cut_by: cut, counted }: IterationReport): string {
  if (checks.some(({ passed }) => !passed)) return 'bad';
  if (cut !== undefined) return 'cut';
  return counted ? 'ok' : 'run';
}

function Iteration(props: {
  readonly ws: string;
  readonly at: string;
  readonly report: LoopReport;
  readonly iteration: IterationReport;
}) {
  const { iteration, report, ws } = props;
  const { checks, files, warnings } = iteration;
  const [isDiff, setDiff] = useState(false);
  return (
    <section class="card item" aria-label={`Iteration ${iteration.iteration}`}>
      <div class="top">
        Iteration {iteration.iteration}
        <span class="faint">started {timeText(iteration.started_at)}</span>
        <span class="ago">
          {durationText(iteration.worked_ms)} · {spendingText(iteration) ?? 'no agent call'}
        </span>
      </div>
      {iteration.summary === undefined ? null : <div class="q">{iteration.summary}</div>}
      {iteration.remaining === undefined ? null : (
        <div class="quiet">{plural(iteration.remaining, 'item')} left.</div>
      )}
      {checks.map((check, index) => (
        <div key={index} class={`proof ${check.passed ? '' : 'bad'}`}>
          <Icon name={check.passed ? 'completed' : 'failed'} />
          <span class="mono">{check.command}</span>
          <span>{check.passed ? 'passed' : (check.why ?? 'failed')}</span>
          <span class="ago">{durationText(check.took_ms)}</span>
        </div>
      ))}
      {iteration.verification === undefined ? null : <div class="quiet">{iteration.verification}</div>}
      {iteration.cut_by === undefined ? null : <div class="c-cut">stopped by {iteration.cut_by}</div>}
      {warnings.map((warning) => (
        <div class="c-ask" key={warning}>
          {warning}
        </div>
      ))}
      {files === null ? (
        <div class="quiet">Without version control, changed files are unknown.</div>
      ) : (
        <ul class="files">
          {files.slice(0, 100).map(({ path, change }) => (
            <li key={path}>
              <span class={`mark ${change}`}>{change[0]?.toUpperCase()}</span>
              <span class="mono">{path}</span>
            </li>
          ))}
        </ul>
      )}
      <div class="acts">
        <a class="btn sm" href={`${to(ws, 'runs', report.run_id)}?step=iteration/${iteration.iteration}`}>
          Transcript
        </a>
        {files !== null && files.length > 0 ? (
          <button type="button" class="btn sm" aria-pressed={isDiff} onClick={() => setDiff(!isDiff)}>
            {isDiff ? 'Hide diff' : 'Show diff'}
          </button>
        ) : null}
      </div>
      {isDiff ? <IterationDiff at={`${props.at}/diff?iteration=${iteration.iteration}`} /> : null}
    </section>
  );
}

function IterationDiff({ at }: { readonly at: string }) {
  const { value, problem } = useData<{ readonly patch: string }>(at);
  if (problem !== undefined) return <p class="quiet">{problem.message}</p>;
  return value === undefined ? null : <DiffView patch={value.patch} />;
}
