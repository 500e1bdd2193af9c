/**
 * `iterate-YYYYMMDD-HHMMSS.log` in the workspace: a header, then one block per iteration.
 * It is buffered, and flushed after each iteration and at the end.
 */
import { join } from 'node:path';
import { type AgentCall, countersIn, type LoopEvent, loopEventOf } from '../../iterate/events/loop-event.ts';
import type { LoopTally } from '../../iterate/events/loop-tally.ts';
import type { IterateInput } from '../../iterate/input.ts';
import { systemPrompt } from '../../iterate/prompts/iteration.ts';
import { textOf } from '../../iterate/prompts/words.ts';
import { logFileName } from '../../iterate/workspace/layout.ts';
import { statusAfter } from '../../iterate/workspace/metadata.ts';
import { describeFailure } from '../../model/describe-failure.ts';
import type { RunEvent } from '../../model/event.ts';
import { localPath } from '../../store/portable-path.ts';
import { AgentText } from './agent-text.ts';
import { BufferedLog } from './buffered-log.ts';
import type { LoopListener } from './loop-listener.ts';

const RULE = '='.repeat(80);

export interface WorkspaceLogOptions {
  readonly input: IterateInput;
  /** Absolute: the workspace of the loop, and the project. */
  readonly folder: string;
  readonly project: string;
  /** For a resumed run: appends to its log. */
  readonly startedAt?: string;
  readonly tally: LoopTally;
  onProblem(problem: string): void;
}

export function createWorkspaceLog(options: WorkspaceLogOptions): LoopListener {
  const { tally } = options;
  const log = new BufferedLog((problem) => options.onProblem(problem));
  const agent = new AgentText();
  let counters = { totalIterations: 0, executionIterations: 0 };
  return {
    event(event) {
      counters = countersIn(event) ?? counters;
      const loopEvent = loopEventOf(event);
      switch (event.type) {
        case 'run-started':
        case 'run-resumed': {
          const startedAt = options.startedAt ?? event.at;
          if (log.open(join(options.folder, logFileName(startedAt))))
            log.write(staticContent(options, startedAt));
          break;
        }
        case 'step-started':
          if (loopEvent?.type === 'call-started') log.write(startedText(loopEvent, event.at));
          break;
        case 'progress':
          log.lines(agent.linesFor(event));
          break;
        case 'question-asked':
          log.write(loopEvent?.type === 'paused' ? '\nPAUSED\n' : `\nQUESTION: ${event.question.message}\n`);
          log.flush();
          break;
        case 'attempt-ended':
          log.lines(agent.flush());
          log.write(`\nERROR: ${describeFailure(event.failure)}\nNext attempt: ${event.nextAt}\n`);
          log.flush();
          break;
        case 'step-ended':
          log.lines(agent.flush());
          if (loopEvent === undefined) break;
          log.write(endedText(loopEvent, event.at));
          if (loopEvent.type !== 'status-read' && loopEvent.type !== 'verified') log.flush();
          break;
        case 'run-ended': {
          const reason = loopEvent?.type === 'loop-ended' ? loopEvent.output.stopReason : undefined;
          log.write(
            summaryText(event, [
              `Status: ${reason === undefined ? 'in_progress' : statusAfter(reason)}`,
              `Stop Reason: ${reason ?? event.signal ?? event.status}`,
              `Iterations: ${tally.done}`,
              `Total Iterations: ${counters.totalIterations}`,
              `Execution Iterations: ${counters.executionIterations}`,
            ]),
          );
          log.flush();
          break;
        }
        default:
          // Partial: the other events are not logged.
          break;
      }
    },
    close: () => log.close(),
  };
}

function section(title: string, ...lines: readonly string[]): string {
  return `${RULE}\n${[title, ...lines].join('\n')}\n${RULE}\n`;
}

function staticContent({ input, project }: WorkspaceLogOptions, startedAt: string): string {
  const blocks = [
    section('CLAUDE ITERATE - EXECUTION LOG', `Started: ${startedAt}`),
    `${section('RUN METADATA')}Workspace: ${input.name}\nMode: ${input.mode}\nMax Iterations: ${input.maxIterations}\nStart Time: ${startedAt}\n`,
    `${section('INSTRUCTIONS')}${input.instructions.trimEnd()}\n`,
    `${section('SYSTEM PROMPT')}${textOf(systemPrompt(input.mode, input), (path) => localPath(project, path))}\n`,
    ...(input.statusInstructions === undefined
      ? []
      : [`${section('STATUS INSTRUCTIONS')}${input.statusInstructions.trimEnd()}\n`]),
  ];
  return blocks.join('\n');
}

function startedText({ call, attempt }: Extract<LoopEvent, { type: 'call-started' }>, at: string): string {
  if (attempt > 1) return `\nATTEMPT ${attempt}\nStarted: ${at}\n\nCLAUDE OUTPUT:\n`;
  return `\n${section(titleOf(call), `Started: ${at}`)}\nCLAUDE OUTPUT:\n`;
}

function titleOf({ type, number }: AgentCall): string {
  return `${type.toUpperCase()} ${number}`;
}

function endedText(loopEvent: LoopEvent, at: string): string {
  switch (loopEvent.type) {
    case 'iteration-ended': {
      const remaining = loopEvent.remaining === undefined ? '' : `Remaining: ${loopEvent.remaining}\n`;
      const how = loopEvent.cutBy === undefined ? 'success' : `stopped by its ${loopEvent.cutBy} limit`;
      return `\nSTATUS: ${how}\nCompleted: ${at}\n${remaining}`;
    }
    case 'changed':
      return `\nCHANGED: ${loopEvent.message}\n`;
    case 'noted':
      return `\n${loopEvent.message}\n`;
    case 'warned':
      return `\nWARNING: ${loopEvent.message}\n`;
    case 'status-read':
      return loopEvent.problem === undefined
        ? ''
        : `\nWARNING: .status.json cannot be used: ${loopEvent.problem}\n`;
    case 'call-ended':
      return callEndedText(loopEvent, at);
    case 'check-ended': {
      const how =
        loopEvent.failure === undefined ? 'passed' : `failed: ${describeFailure(loopEvent.failure)}`;
      return `\nCHECK ${loopEvent.check}: ${how}\n`;
    }
    default:
      // Partial: the others are not logged.
      return '';
  }
}

function callEndedText(
  { call, isStopped, denied, failure }: Extract<LoopEvent, { type: 'call-ended' }>,
  at: string,
): string {
  if (isStopped) return `\nSTATUS: stopped\nCompleted: ${at}\n`;
  if (denied !== undefined) return `\nWARNING: ${describeFailure({ type: 'agent', outcome: denied })}\n`;
  if (failure !== undefined) return `\nSTATUS: error\nCompleted: ${at}\nERROR: ${describeFailure(failure)}\n`;
  // An iteration is logged when it is counted.
  return call.type === 'verification' ? `\nSTATUS: success\nCompleted: ${at}\n` : '';
}

function summaryText(
  { at, failure }: Extract<RunEvent, { type: 'run-ended' }>,
  lines: readonly string[],
): string {
  const why = failure === undefined ? [] : [`Error: ${describeFailure(failure)}`];
  const all = [...lines, ...why];
  return `\n${section('EXECUTION SUMMARY', `Ended: ${at}`)}${all.map((line) => `${line}\n`).join('')}`;
}
