import { countText, durationText, spendingText } from '../../model/amounts.ts';
import { describeFailure } from '../../model/describe-failure.ts';
import type { RunEvent } from '../../model/event.ts';
import type { StepKey } from '../../model/ids.ts';
import { isJsonObject } from '../../model/json.ts';
import { approveCommands, shellWord } from '../../model/shell-word.ts';
import { typedCommand } from '../../model/typed-command.ts';
import { unreachable } from '../../model/unreachable.ts';
import { failureTail } from '../text/failure-tail.ts';
import type { Palette } from '../text/palette.ts';
import { printableLine } from '../text/printable.ts';
import { fieldLines } from '../text/question.ts';
import { resumeAdviceText } from '../text/resume-advice.ts';
import { stepsText } from '../text/run-words.ts';
import type { Tally } from './tally.ts';

export type RunEnded = Extract<RunEvent, { type: 'run-ended' }>;

const TAIL_LINES = 10;
const FAILURES_SHOWN = 5;

/** The last lines on the screen when a run has stopped: how it ended, why, and what to type next. */
export function closingLines(tally: Tally, ended: RunEnded, palette: Palette): readonly string[] {
  const totals = totalsText(tally, ended.at);
  switch (ended.status) {
    case 'completed':
      return [`${palette.good('✓')} ${palette.strong('completed')}  ${totals}`];
    case 'waiting':
      return [`${palette.notice('?')} ${palette.strong('waiting')}  ${totals}`, ...questionLines(tally)];
    case 'interrupted':
      return [
        `${palette.notice('■')} ${palette.strong('interrupted')}${ended.signal === undefined ? '' : ` by ${ended.signal}`}  ${totals}`,
        `  to continue: ${typedCommand(`resume ${tally.runId}`)}`,
      ];
    case 'cancelled':
      return [`${palette.bad('✗')} ${palette.strong('cancelled')}  ${totals}`];
    case 'failed':
      return [
        `${palette.bad('✗')} ${palette.strong('failed')}  ${totals}`,
        ...failureLines(tally, ended, palette),
        `  to continue: ${resumeAdviceText(tally.advice.after(ended), { runId: tally.runId, file: tally.workflowFile })}`,
      ];
    default:
      return unreachable(ended.status);
  }
}

/** `5 steps: 4 done, 1 failed  12.3 s  $0.12`. */
function totalsText(tally: Tally, at: string): string {
  const words = [stepsText(tally.counts)];
  if (tally.clock.hasBegun) words.push(durationText(tally.clock.msAt(Date.parse(at))));
  const spending = spendingText(tally.spending);
  if (spending !== undefined) words.push(spending);
  return words.join('  ');
}

function questionLines(tally: Tally): readonly string[] {
  const lines: string[] = [];
  for (const [key, question] of tally.questions) {
    lines.push(`  ${tally.items.named(key)}: ${printableLine(question.message)}`);
    for (const line of fieldLines(question.fields ?? [])) lines.push(`    ${line}`);
    for (const command of approveCommands(tally.runId, key, question)) lines.push(`    ${command}`);
  }
  if (!tally.isOnWorkers) lines.push(`  then: ${typedCommand(`resume ${tally.runId}`)}`);
  return lines;
}

/** Shows the steps inside loops and branches that failed, not the loop that failed because of them. */
function failureLines(tally: Tally, ended: RunEnded, palette: Palette): readonly string[] {
  const keys = failedKeys(ended).filter((key) => tally.failures.has(key) && !tally.containers.has(key));
  const failedStep = isJsonObject(ended.output) ? ended.output['failedStep'] : undefined;
  if (keys.length === 0) {
    if (ended.failure === undefined) return [];
    const where = typeof failedStep === 'string' ? `${failedStep}: ` : '';
    return [`  ${where}${printableLine(describeFailure(ended.failure))}`];
  }
  const lines = keys
    .slice(0, FAILURES_SHOWN)
    .flatMap((key) =>
      stepFailureLines(tally, key).map((line) => line.replace(/^( {4}\| .*)$/, palette.faint('$1'))),
    );
  if (keys.length > FAILURES_SHOWN)
    lines.push(`  … and ${countText(keys.length - FAILURES_SHOWN, 'more failed step')}`);
  return lines;
}

function stepFailureLines(tally: Tally, key: StepKey): readonly string[] {
  const failed = tally.failures.get(key);
  if (failed === undefined) return [];
  const lines = [`  ${tally.items.named(key)}: ${printableLine(describeFailure(failed.failure))}`];
  const { failure, stderrTail, stdoutTail } = failed;
  const { stream, lines: tail } = failureTail(
    { type: failure.type, stderr: stderrTail, stdout: stdoutTail },
    TAIL_LINES,
  );
  if (tail.length === 0) return lines;
  for (const line of tail) lines.push(`    | ${line}`);
  lines.push(
    `    full output: ${typedCommand(`logs ${tally.runId} ${shellWord(key)}${stream === 'stderr' ? ' --stderr' : ''}`)}`,
  );
  return lines;
}

function failedKeys(ended: RunEnded): readonly StepKey[] {
  const keys = isJsonObject(ended.output) ? ended.output['retryKeys'] : undefined;
  return Array.isArray(keys) ? [...new Set(keys as StepKey[])].filter((key) => !key.includes('@')) : [];
}
