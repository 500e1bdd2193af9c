/** What a run says, in the words of the command's contract. */

import type { IterateOutput } from '../../../iterate/input.ts';
import type { Denied } from '../../../model/agent.ts';
import { describeFailure } from '../../../model/describe-failure.ts';
import type { RunEvent } from '../../../model/event.ts';
import type { Failure } from '../../../model/failure.ts';
import { isJsonObject } from '../../../model/json.ts';
import { limitOf } from '../../../model/open-limits.ts';
import { unreachable } from '../../../model/unreachable.ts';
import { countText, spendingText, untilText } from '../../../report/text/amounts.ts';
import { printableLine } from '../../../report/text/printable.ts';
import {
  type IterationDone,
  iterationDone,
  iterationOf,
  outputOf,
  type RunTally,
  verificationOf,
} from './tally.ts';

export interface Line {
  /** `talk` is not said at the quiet level. `begin` is what a live panel shows by itself. */
  readonly type: 'begin' | 'talk' | 'error';
  readonly text: string;
}

/** To be called after the tally has taken the event. */
export function linesFor(event: RunEvent, tally: RunTally): readonly Line[] {
  switch (event.type) {
    case 'run-resumed':
      return [talk(`Continuing after iteration ${tally.done} of ${tally.maxIterations}`)];
    case 'step-started': {
      const iteration = iterationOf(event.key);
      if (iteration !== undefined) return [{ type: 'begin', text: `Running iteration ${iteration}...` }];
      if (verificationOf(event.key) !== undefined) return [{ type: 'begin', text: 'Verifying...' }];
      return [];
    }
    case 'attempt-ended':
      return [talk(attemptText(event))];
    case 'progress':
      return messagesIn(event).map(talk);
    case 'step-ended':
      return stepEndedLines(event);
    case 'run-ended':
      return endLines(event, tally);
    default:
      // Partial: the other events are not shown.
      return [];
  }
}

function talk(text: string): Line {
  return { type: 'talk', text };
}

/** What a step has to say besides what comes out of it. */
export function messagesIn({ progress }: Extract<RunEvent, { type: 'progress' }>): readonly string[] {
  return progress.type === 'message' ? [printableLine(progress.text)] : [];
}

/** Why an agent is asked again, and when. */
export function attemptText(event: Extract<RunEvent, { type: 'attempt-ended' }>): string {
  const next = untilText(event.nextAt, Date.parse(event.at));
  const what = event.key.replace('/', ' ');
  if (event.counted)
    return `⚠️ ${what}: ${printableLine(describeFailure(event.failure))}; trying again at ${next}`;
  const untold = limitOf(event).resets_at === undefined ? ', no end told' : '';
  return `⚠️ Usage limit reached${untold}; repeating ${what} at ${next}`;
}

function stepEndedLines(event: Extract<RunEvent, { type: 'step-ended' }>): readonly Line[] {
  const done = iterationDone(event);
  if (done !== undefined) return [talk(`✓ Iteration ${done.iteration} complete${remainingText(done)}`)];
  const output = isJsonObject(event.output) ? event.output : {};
  const failure = output['failure'] as Failure | undefined;
  const denied = deniedText(event);
  if (denied !== undefined) return [talk(`⚠️ ${event.key.replace('/', ' ')}: ${printableLine(denied)}`)];
  if (/^iteration\/\d+\/check-\d+$/.test(event.key) && failure !== undefined) {
    const command = isJsonObject(output['debug']) ? output['debug']['command'] : undefined;
    const words = Array.isArray(command) ? command.join(' ') : event.key;
    return [talk(`❌ Check failed: ${printableLine(words)}: ${printableLine(describeFailure(failure))}`)];
  }
  if (/^verification\/\d+@metadata$/.test(event.key)) return [talk(verificationText(output['document']))];
  return [];
}

/** What the agent was refused in a call that was made to the end. */
export function deniedText({ output }: Extract<RunEvent, { type: 'step-ended' }>): string | undefined {
  const denied = isJsonObject(output) ? output['denied'] : undefined;
  return isJsonObject(denied)
    ? describeFailure({ type: 'agent', outcome: denied as unknown as Denied })
    : undefined;
}

function verificationText(document: unknown): string {
  const verification = isJsonObject(document) ? document['verification'] : undefined;
  const status = isJsonObject(verification) ? verification['lastVerificationStatus'] : undefined;
  if (status === 'pass') return '✓ Verification passed';
  return status === 'fail' ? '❌ Verification failed' : '⚠️ Verification needs review';
}

/** ` (4 items remaining)`. */
function remainingText({ remaining }: IterationDone): string {
  return remaining === undefined ? '' : ` (${countText(remaining, 'item')} remaining)`;
}

function endLines(event: Extract<RunEvent, { type: 'run-ended' }>, tally: RunTally): readonly Line[] {
  const again = `claude-iterate run ${tally.name}`;
  switch (event.status) {
    case 'interrupted':
      return [
        {
          type: 'error',
          text: `■ Interrupted by ${event.signal ?? 'a signal'} after ${countText(tally.done, 'iteration')}. Continue: ${again}`,
        },
      ];
    case 'cancelled':
      return [{ type: 'error', text: '■ Cancelled' }];
    case 'waiting':
      return [];
    case 'completed':
    case 'failed':
      return finishedLines(event, tally);
    default:
      return unreachable(event.status);
  }
}

function finishedLines(event: Extract<RunEvent, { type: 'run-ended' }>, tally: RunTally): readonly Line[] {
  const output = outputOf(event);
  if (output !== undefined) return stopLines(output, tally);
  const why = event.failure === undefined ? 'it ended without a reason' : describeFailure(event.failure);
  return [{ type: 'error', text: `❌ ${why}` }];
}

function stopLines(output: IterateOutput, tally: RunTally): readonly Line[] {
  const why = output.failure === undefined ? '' : printableLine(describeFailure(output.failure));
  const spending = spendingText(tally.spending);
  const cost = spending === undefined ? [] : [talk(`  Cost: ${spending}`)];
  switch (output.stopReason) {
    case 'complete':
      return [
        talk(`✓ Task completed successfully after ${countText(output.iterations, 'iteration')}`),
        ...cost,
      ];
    case 'stagnation':
      return [
        talk(`⚠️ Stagnation detected: ${output.noWork ?? 0} consecutive iterations with no work`),
        ...cost,
      ];
    case 'max-iterations':
      return [talk(`⚠️ Reached maximum iterations (${tally.maxIterations})`), ...options(tally), ...cost];
    case 'stopped':
      return [talk(`■ Stopped after ${countText(output.iterations, 'iteration')}`), ...cost];
    case 'failed':
      return [{ type: 'error', text: `❌ ${failedWhat(output)}: ${why}` }, ...cost];
    case 'verification':
      return [
        { type: 'error', text: '❌ Verification failed: the task is not complete' },
        ...(output.failure?.type === 'unproven' ? output.failure.reasons : []).map(
          (reason): Line => ({ type: 'error', text: `  - ${printableLine(reason)}` }),
        ),
        ...cost,
      ];
    case 'budget':
    case 'abort':
      return [
        { type: 'error', text: `❌ Stopped after ${countText(output.iterations, 'iteration')}: ${why}` },
        ...cost,
      ];
    default:
      return unreachable(output.stopReason);
  }
}

function failedWhat({ iterations, failedStep }: IterateOutput): string {
  if (failedStep === undefined) return `Iteration ${iterations + 1} failed`;
  if (verificationOf(failedStep) !== undefined) return 'Verification could not be made';
  return `Iteration ${iterationOf(failedStep) ?? iterations + 1} failed`;
}

function options({ name, maxIterations }: RunTally): readonly Line[] {
  return [
    talk(''),
    talk('Options:'),
    talk(`  - Continue: claude-iterate run ${name}`),
    talk(`  - Increase the limit: claude-iterate run ${name} --max-iterations ${maxIterations * 2}`),
    talk(`  - Check progress: claude-iterate show ${name}`),
  ];
}
