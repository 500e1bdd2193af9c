/**
 * `iterate-YYYYMMDD-HHMMSS.log` in the workspace: what does not change once, then one block an iteration.
 * The buffer it is written through is emptied when an iteration is over and at the end.
 */
import { join } from 'node:path';
import type { IterateInput } from '../../../iterate/input.ts';
import { systemPrompt } from '../../../iterate/prompts/iteration.ts';
import { logFileName } from '../../../iterate/workspace/layout.ts';
import { describeFailure } from '../../../model/describe-failure.ts';
import type { RunEvent } from '../../../model/event.ts';
import type { Failure } from '../../../model/failure.ts';
import { isJsonObject, type JsonObject } from '../../../model/json.ts';
import type { Reporter } from '../../../report/live/reporter.ts';
import { AgentText } from './agent-text.ts';
import { BufferedLog } from './buffered-log.ts';
import { deniedText } from './lines.ts';
import { iterationDone, iterationOf, outputOf, type RunTally, verificationOf } from './tally.ts';

const RULE = '='.repeat(80);

export interface LogViewOptions {
  /** Absolute: the workspace. */
  readonly folder: string;
  readonly input: IterateInput;
  /** Of a run that goes on: its log goes on too. */
  readonly startedAt?: string;
  readonly tally: RunTally;
  onProblem(problem: string): void;
}

export function createLogView(options: LogViewOptions): Reporter {
  const log = new BufferedLog(options.onProblem);
  const agent = new AgentText();
  let counters: JsonObject = {};
  return {
    event(event: RunEvent) {
      switch (event.type) {
        case 'run-started':
        case 'run-resumed': {
          const startedAt = options.startedAt ?? event.at;
          if (log.open(join(options.folder, logFileName(startedAt)))) {
            log.write(staticContent(options.input, startedAt));
          }
          break;
        }
        case 'step-started':
          log.write(startedText(event));
          break;
        case 'progress':
          log.lines(agent.linesFor(event));
          break;
        case 'attempt-ended':
          log.lines(agent.flush());
          log.write(`\nERROR: ${describeFailure(event.failure)}\nNext try: ${event.nextAt}\n`);
          log.flush();
          break;
        case 'step-ended':
          log.lines(agent.flush());
          log.write(endedText(event));
          counters = countersIn(event) ?? counters;
          if (!event.key.includes('@') || iterationDone(event) !== undefined) log.flush();
          break;
        case 'run-ended':
          log.write(summaryText(event, options.tally, counters));
          log.flush();
          break;
        default:
          // Partial: the other events are not logged.
          break;
      }
    },
    say: (text) => log.write(`${text}\n`),
    close: () => log.close(),
  };
}

function section(title: string, ...lines: readonly string[]): string {
  return `${RULE}\n${[title, ...lines].join('\n')}\n${RULE}\n`;
}

function staticContent(input: IterateInput, startedAt: string): string {
  const blocks = [
    section('CLAUDE ITERATE - EXECUTION LOG', `Started: ${startedAt}`),
    `${section('RUN METADATA')}Workspace: ${input.name}\nMode: ${input.mode}\nMax Iterations: ${input.maxIterations}\nStart Time: ${startedAt}\n`,
    `${section('INSTRUCTIONS')}${input.instructions.trimEnd()}\n`,
    `${section('SYSTEM PROMPT')}${systemPrompt(input.mode, input)}\n`,
    ...(input.statusInstructions === undefined
      ? []
      : [`${section('STATUS INSTRUCTIONS')}${input.statusInstructions.trimEnd()}\n`]),
  ];
  return blocks.join('\n');
}

function startedText(event: Extract<RunEvent, { type: 'step-started' }>): string {
  const iteration = iterationOf(event.key);
  const verification = verificationOf(event.key);
  if (iteration === undefined && verification === undefined) return '';
  if (event.attempt > 1) return `\nTRY ${event.attempt}\nStarted: ${event.at}\n\nCLAUDE OUTPUT:\n`;
  const title = iteration === undefined ? `VERIFICATION ${verification}` : `ITERATION ${iteration}`;
  return `\n${section(title, `Started: ${event.at}`)}\nCLAUDE OUTPUT:\n`;
}

function endedText(event: Extract<RunEvent, { type: 'step-ended' }>): string {
  const done = iterationDone(event);
  if (done !== undefined) {
    const remaining = done.remaining === undefined ? '' : `Remaining: ${done.remaining}\n`;
    return `\nSTATUS: success\nCompleted: ${event.at}\n${remaining}`;
  }
  const output = isJsonObject(event.output) ? event.output : {};
  const failure = output['failure'] as Failure | undefined;
  const isAgent = iterationOf(event.key) !== undefined || verificationOf(event.key) !== undefined;
  if (event.stopped === true) return `\nSTATUS: stopped\nCompleted: ${event.at}\n`;
  const denied = deniedText(event);
  if (denied !== undefined) return `\nWARNING: ${denied}\n`;
  if (isAgent && failure !== undefined)
    return `\nSTATUS: error\nCompleted: ${event.at}\nERROR: ${describeFailure(failure)}\n`;
  if (verificationOf(event.key) !== undefined) return `\nSTATUS: success\nCompleted: ${event.at}\n`;
  if (/\/check-\d+$/.test(event.key)) {
    const how = failure === undefined ? 'passed' : `failed: ${describeFailure(failure)}`;
    return `\nCHECK ${event.key.split('-').at(-1)}: ${how}\n`;
  }
  return '';
}

/** Of the whole workspace, all its runs together. */
function countersIn(event: Extract<RunEvent, { type: 'step-ended' }>): JsonObject | undefined {
  const document = isJsonObject(event.output) ? event.output['document'] : undefined;
  return isJsonObject(document) && typeof document['totalIterations'] === 'number' ? document : undefined;
}

function summaryText(
  event: Extract<RunEvent, { type: 'run-ended' }>,
  tally: RunTally,
  counters: JsonObject,
): string {
  const output = outputOf(event);
  const failure = event.failure === undefined ? '' : `Error: ${describeFailure(event.failure)}\n`;
  return `\n${section('EXECUTION SUMMARY', `Ended: ${event.at}`)}Status: ${event.status}\nStop Reason: ${output?.stopReason ?? event.signal ?? event.status}\nIterations: ${tally.done}\nTotal Iterations: ${counters['totalIterations'] ?? 0}\nExecution Iterations: ${counters['executionIterations'] ?? 0}\n${failure}`;
}
