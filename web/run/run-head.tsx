/** The run as a whole: its figures, what can be done with it, and what it asks. */
import { useState } from 'preact/hooks';
import type { OpenQuestion, RunSummary } from '../../src/operations/live/run-summary.ts';
import type { StepRow } from '../../src/operations/live/step-row.ts';
import { act, download, isReadOnly } from '../api.ts';
import { Icon } from '../icons.tsx';
import { AskedAbout, Button, Choices, cancelRun, Pill, ResumeButton, takesText, Worked } from '../parts.tsx';
import { go, to } from '../route.ts';
import {
  adviceText,
  canResume,
  plural,
  shortText,
  spendingText,
  timeText,
  tokensText,
  usesTokens,
} from '../words.ts';

export function Head(props: {
  readonly ws: string;
  readonly at: string;
  readonly summary: RunSummary;
  readonly selected: StepRow | undefined;
  /** A report and a fork need the whole journal. */
  readonly isDamaged: boolean;
  /** Its folder was removed: nothing can be done with it. */
  readonly isGone: boolean;
}) {
  const { ws, summary, selected, isDamaged, isGone } = props;
  const { totals, run_id: run } = summary;
  const isOpen = ['running', 'waiting', 'interrupted'].includes(summary.status);
  const cost = spendingText(totals);
  const parts = [
    [totals.steps_completed, 'done'],
    [totals.steps_failed, 'failed'],
    [totals.steps_skipped, 'skipped'],
    [totals.steps_cancelled ?? 0, 'cancelled'],
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
          {isReadOnly() || isGone ? null : (
            <>
              {canResume(summary) ? <ResumeButton ws={ws} run={summary} kind="primary" /> : null}
              {selected === undefined || summary.kind !== 'workflow' || isDamaged ? null : (
                <Button
                  label={`Fork from ${shortText(selected.name, 24)}`}
                  onClick={async () => {
                    const done = await act(ws, { command: 'fork', run, step: selected.key });
                    if (done.ok && done.run !== undefined) go(to(ws, 'runs', done.run));
                  }}
                />
              )}
            </>
          )}
          {isDamaged || isGone ? null : (
            <Button label="Report" onClick={() => download(`${props.at}/report.html`, `${run}.html`)} />
          )}
          {isOpen && !isReadOnly() && !isGone ? (
            <Button label="Cancel run" kind="ghost danger" onClick={() => cancelRun(ws, summary)} />
          ) : null}
        </span>
      </div>
      <div class="facts">
        {summary.workflow_file === undefined ? <b>{summary.kind}</b> : <b>{summary.workflow_file}</b>}
        <span>
          started <b>{timeText(summary.started_at)}</b>
        </span>
        <span>
          worked{' '}
          <b>
            <Worked run={summary} />
          </b>
        </span>
        <span>
          <b>{plural(all, 'step')}</b>
          {steps.length === 0 ? '' : ': '}
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

/** Why it failed or stopped, in words: the steps may all be fine, or others have failed without ending it. */
export function Reason({ summary }: { readonly summary: RunSummary }) {
  const { advice } = summary.error ?? {};
  if (summary.status === 'failed')
    return (
      <p class="banner reason">
        {summary.line}
        {advice === undefined ? null : (
          <span class="advice">{adviceText(advice, summary.workflow_file)}</span>
        )}
      </p>
    );
  if (summary.status !== 'interrupted' || summary.cut_off !== true) return null;
  return (
    <p class="banner reason stopped">
      Its process is gone, and has recorded no end: it was killed, has crashed, or the machine went down.
    </p>
  );
}

export function Ask({ ws, summary }: { readonly ws: string; readonly summary: RunSummary }) {
  if (summary.status === 'cancelled' || summary.status === 'completed') return <div />;
  return (
    <div>
      {summary.questions.map((question) => (
        <Asked key={question.key} ws={ws} run={summary.run_id} question={question} />
      ))}
    </div>
  );
}

/** Letters of choices that fit beside their question. */
const MOST_BESIDE = 30;

/** One question; its comment belongs to its answer alone. */
function Asked({
  ws,
  run,
  question,
}: {
  readonly ws: string;
  readonly run: string;
  readonly question: OpenQuestion;
}) {
  const [comment, setComment] = useState('');
  const { length: choices } = question.choices.join('');
  return (
    <section
      class={`ask-band ${choices > MOST_BESIDE ? 'many' : ''}`}
      aria-label={`Question ${question.key}`}
    >
      <span class="c-ask">
        <Icon name="person" size={20} />
      </span>
      <div>
        <div class="q">{question.message}</div>
        <div class="sub">
          {question.key} has been waiting since {timeText(question.asked_at)}. No process is needed while it
          waits; your answer resumes the run.
        </div>
        <AskedAbout ws={ws} run={run} question={question} />
      </div>
      {isReadOnly() || takesText(question) ? null : (
        <input
          aria-label="Comment"
          placeholder="Comment, kept with the answer"
          value={comment}
          onInput={(event) => setComment(event.currentTarget.value)}
        />
      )}
      <Choices ws={ws} run={run} question={question} comment={comment} />
    </section>
  );
}
