/** The lines that a loop prints, as the command's contract words them. */

import { countText, spendingText, untilText } from '../../model/amounts.ts';
import { describeFailure } from '../../model/describe-failure.ts';
import type { RunEvent } from '../../model/event.ts';
import { limitOf } from '../../model/open-limits.ts';
import { unreachable } from '../../model/unreachable.ts';
import {
  type AgentCall,
  callOf,
  type LoopEvent,
  type LoopOutput,
  type LoopTally,
  loopEventOf,
} from '../../operations/loops/watch-loop.ts';
import { printableLine } from '../../report/text/printable.ts';
import { answerCommands } from './answer-commands.ts';

export interface Line {
  /** Only an `error` is printed at level `quiet`. `begin` is not printed if a live panel shows it. */
  readonly type: 'begin' | 'talk' | 'warning' | 'error';
  readonly text: string;
}

/** The commands that run a loop again. */
export interface Again {
  readonly asNew: string;
  readonly toResume: string;
  readonly runId: string;
}

export interface Lines {
  readonly tally: LoopTally;
  readonly again: Again;
}

/** Call this after the tally has counted the event. */
export function linesFor(event: RunEvent, lines: Lines): readonly Line[] {
  const { tally } = lines;
  const loopEvent = loopEventOf(event);
  switch (event.type) {
    case 'run-resumed':
      return [talk(`Continuing after iteration ${tally.done} of ${tally.maxIterations}`)];
    case 'attempt-ended':
      return [warning(attemptText(event))];
    case 'progress':
      return messagesIn(event).map(warning);
    case 'run-ended':
      return endLines(event, loopEvent, lines);
    case 'question-asked':
      if (loopEvent?.type === 'paused')
        return [
          talk(`⏸ Paused after ${countText(tally.done, 'iteration')}. Continue: ${lines.again.toResume}`),
        ];
      return loopEvent?.type === 'question-asked' ? questionLines(loopEvent, lines) : [];
    default:
      // Partial: the rest is a loop event, or is not shown.
      return loopEvent === undefined ? [] : loopLines(loopEvent);
  }
}

function talk(text: string): Line {
  return { type: 'talk', text };
}

function warning(text: string): Line {
  return { type: 'warning', text };
}

/** Messages of a step, other than its output. */
export function messagesIn({ progress }: Extract<RunEvent, { type: 'progress' }>): readonly string[] {
  return progress.type === 'message' ? [printableLine(progress.text)] : [];
}

/** Why and when an agent is called again. */
export function attemptText(event: Extract<RunEvent, { type: 'attempt-ended' }>): string {
  const next = untilText(event.nextAt, Date.parse(event.at));
  const what = event.key.replace('/', ' ');
  if (event.counted)
    return `⚠️ ${what}: ${printableLine(describeFailure(event.failure)).replace(/\.$/, '')}; retrying at ${next}`;
  const unknown = limitOf(event).resets_at === undefined ? ', reset time unknown' : '';
  return `⚠️ Usage limit reached${unknown}; retrying ${what} at ${next}`;
}

function loopLines(loopEvent: LoopEvent): readonly Line[] {
  switch (loopEvent.type) {
    case 'call-started': {
      const text =
        loopEvent.call.type === 'iteration'
          ? `Running iteration ${loopEvent.call.number}...`
          : 'Verifying...';
      return [{ type: 'begin', text }];
    }
    case 'call-ended':
      return loopEvent.denied === undefined
        ? []
        : [
            warning(
              `⚠️ ${nameOf(loopEvent.call)}: ${printableLine(describeFailure({ type: 'agent', outcome: loopEvent.denied }))}`,
            ),
          ];
    case 'check-ended':
      return loopEvent.failure === undefined
        ? []
        : [
            warning(
              `❌ Check failed: ${printableLine(loopEvent.command.join(' ') || `check ${loopEvent.check}`)}: ${printableLine(describeFailure(loopEvent.failure))}`,
            ),
          ];
    case 'iteration-ended': {
      const { iteration, remaining, cutBy } = loopEvent;
      const left = remaining === undefined ? '' : ` (${countText(remaining, 'item')} remaining)`;
      return cutBy === undefined
        ? [talk(`✓ Iteration ${iteration} complete${left}`)]
        : [warning(`⚠️ Iteration ${iteration} was stopped by its ${CUT_BY[cutBy]}${left}`)];
    }
    case 'verified':
      return [talk(VERIFIED[loopEvent.status])];
    case 'status-read':
      return loopEvent.problem === undefined
        ? []
        : [warning(`⚠️ .status.json cannot be used: ${printableLine(loopEvent.problem)}`)];
    case 'changed':
      return [talk(`↻ ${printableLine(loopEvent.message)}`)];
    case 'warned':
      return [warning(`⚠️ ${printableLine(loopEvent.message)}`)];
    case 'noted':
      return [talk(`  ${printableLine(loopEvent.message)}`)];
    case 'check-started':
      return [{ type: 'begin', text: `Running check ${loopEvent.check}...` }];
    case 'paused':
    case 'question-asked':
    case 'change-read':
    case 'loop-ended':
      return [];
    default:
      return unreachable(loopEvent);
  }
}

/** Loud: nothing happens until someone answers. */
function questionLines(
  question: Extract<LoopEvent, { type: 'question-asked' }>,
  { again }: Lines,
): readonly Line[] {
  return [
    `❓ The agent asks: ${printableLine(question.message)}`,
    ...answerCommands(again.runId, question).map((command) => `   Answer: ${command}`),
  ].map((text) => ({ type: 'error', text }));
}

const CUT_BY = { time: 'time limit', budget: 'budget' } as const;

const VERIFIED = {
  pass: '✓ Verification passed',
  fail: '❌ Verification failed',
  needs_review: '⚠️ Verification needs review',
} as const;

function nameOf({ type, number }: AgentCall): string {
  return `${type} ${number}`;
}

function endLines(
  event: Extract<RunEvent, { type: 'run-ended' }>,
  loopEvent: LoopEvent | undefined,
  { tally, again }: Lines,
): readonly Line[] {
  switch (event.status) {
    case 'interrupted':
      return [
        {
          type: 'error',
          text: `■ Interrupted by ${event.signal ?? 'a signal'} after ${countText(tally.done, 'iteration')}. Continue: ${again.toResume}`,
        },
      ];
    case 'cancelled':
      return [{ type: 'error', text: '■ Cancelled' }];
    case 'waiting':
      // A pause has printed its own line.
      return tally.hasAsked ? [{ type: 'error', text: `   Then continue: ${again.toResume}` }] : [];
    case 'completed':
    case 'failed':
      return loopEvent?.type === 'loop-ended'
        ? stopLines(loopEvent.output, { tally, again })
        : brokenOff(event);
    default:
      return unreachable(event.status);
  }
}

function brokenOff({ failure }: Extract<RunEvent, { type: 'run-ended' }>): readonly Line[] {
  const why = failure === undefined ? 'ended without a reason' : describeFailure(failure);
  return [{ type: 'error', text: `❌ ${why}` }];
}

function stopLines(output: LoopOutput, lines: Lines): readonly Line[] {
  const { tally } = lines;
  const why = output.failure === undefined ? '' : printableLine(describeFailure(output.failure));
  const spending = spendingText(tally.spending);
  const cost = spending === undefined ? [] : [talk(`  Cost: ${spending.replace(/^cost /, '')}`)];
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
      return [talk(`⚠️ Reached maximum iterations (${tally.maxIterations})`), ...options(lines), ...cost];
    case 'stopped':
      return [talk(`■ Stopped after ${countText(output.iterations, 'iteration')}`), ...cost];
    case 'failed':
      return [{ type: 'error', text: `❌ ${failedWhat(output)}: ${why}${saidText(output)}` }, ...cost];
    case 'verification':
      return [
        { type: 'error', text: '❌ Verification failed: the task is not complete' },
        ...(output.failure?.type === 'unproven' ? output.failure.reasons : []).map(
          (reason): Line => ({ type: 'error', text: `  - ${printableLine(reason)}` }),
        ),
        talk(`  Continue: ${lines.again.asNew}`),
        ...cost,
      ];
    case 'budget':
    case 'abort':
      return [
        { type: 'error', text: `❌ Stopped after ${countText(output.iterations, 'iteration')}: ${why}` },
        ...(output.stopReason === 'budget'
          ? [talk(`  Continue with a new budget: ${lines.again.asNew}`)]
          : []),
        ...cost,
      ];
    default:
      return unreachable(output.stopReason);
  }
}

function saidText({ said }: LoopOutput): string {
  return said === undefined ? '' : `. Its last words: "${printableLine(said)}"`;
}

function failedWhat({ iterations, failedStep }: LoopOutput): string {
  const call = callOf(failedStep ?? '');
  if (call?.type === 'verification') return 'Verification could not run';
  return `Iteration ${call?.number ?? iterations + 1} failed`;
}

function options({ tally: { name, maxIterations }, again }: Lines): readonly Line[] {
  const more = `--max-iterations ${maxIterations * 2}`;
  const raised = again.asNew.replace(/--max-iterations \d+/, more);
  return [
    talk(''),
    talk('Options:'),
    talk(`  - Continue: ${again.asNew}`),
    talk(`  - Increase the limit: ${raised === again.asNew ? `${again.asNew} ${more}` : raised}`),
    talk(`  - Check progress: claude-iterate show ${name}`),
  ];
}
