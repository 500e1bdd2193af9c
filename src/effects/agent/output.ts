/** What is saved of an agent call: the step's output, and the response file with all of it. */
import type { AgentSummary } from '../../agents/summary.ts';
import { usageAdded } from '../../agents/summary.ts';
import type { Denied, TokenUsage } from '../../model/agent.ts';
import { defined } from '../../model/defined.ts';
import { describeFailure } from '../../model/describe-failure.ts';
import { exitCodeFor, type Failure, outcomeName } from '../../model/failure.ts';
import type { JsonObject, JsonValue } from '../../model/json.ts';
import type { Asks, Spent } from '../../model/record.ts';
import { type Captured, captureOutput, captureSource, lastText } from '../capture.ts';
import type { RunAgentInput, RunAgentOutput } from '../contracts.ts';
import type { Answer } from './answer.ts';
import type { PlannedCall } from './planned-call.ts';
import { ANSWER_BYTES, type SourceEnd, TAIL_BYTES } from './source.ts';

/** The full result of one agent call. */
export interface AgentCallResult {
  readonly planned: PlannedCall;
  readonly summary: AgentSummary;
  readonly end: SourceEnd;
  readonly answer: Answer;
  /** `done`, or the classifier's name for it. */
  readonly outcome: string;
  readonly failure?: Failure;
  /** Refused, but tolerated. */
  readonly denied?: Denied;
  /** It stopped for these. */
  readonly asks?: Asks;
  /** The conversation that was continued. */
  readonly continuedFrom?: string;
  /** Earlier totals of the conversation, if the agent counts from its start and they are known. */
  readonly usageBefore?: TokenUsage;
}

export function makeOutput(called: AgentCallResult, input: RunAgentInput, debug: JsonObject): RunAgentOutput {
  const { summary, answer, end } = called;
  const captured = capture(called, input);
  const failure = called.failure ?? captured.failure;
  const spent = spentBy(called);
  const model = summary.model ?? input.model;
  const isKept = answer.text !== undefined && Buffer.byteLength(answer.text) <= ANSWER_BYTES;
  return {
    exitCode: failure === undefined ? 0 : exitCodeFor(failure),
    outcome: failure === undefined ? called.outcome : outcomeName(failure),
    ...defined({ failure }),
    ...captured.fields,
    ...(isKept ? { answer: answer.text } : {}),
    ...defined({ structured: answer.structured }),
    ...(input.outputFile !== undefined && failure === undefined ? { artifacts: [input.outputFile] } : {}),
    ...defined({ sessionId: summary.sessionId, model }),
    ...(summary.turns > 0 ? { turns: summary.turns } : {}),
    ...defined({ spent, usage: spent?.usage, denied: called.denied }),
    ...(failure !== undefined && end.type === 'exited' ? tails(end) : {}),
    debug: {
      ...debug,
      ...(captured.parseError === undefined ? {} : { json_parse_error: { ...captured.parseError } }),
    },
  };
}

function capture(called: AgentCallResult, input: RunAgentInput): Captured {
  const { answer, end, planned } = called;
  const allow = input.allowParseError ?? false;
  const isStdout = planned.reading.type === 'plain' && planned.reading.plain.result === 'text';
  if (isStdout && end.type === 'exited') return captureOutput(end.stdout, input.capture, allow);
  if (answer.text === undefined || called.failure !== undefined) {
    if (answer.text !== undefined && input.capture === 'text') {
      return captureOutput(captureSource(answer.text), 'text', allow);
    }
    return { fields: { capture: input.capture } };
  }
  return captureOutput(captureSource(answer.text), input.capture, allow);
}

function tails(end: Extract<SourceEnd, { type: 'exited' }>): { stdoutTail: string; stderrTail: string } {
  return { stdoutTail: lastText(end.stdout.tail, TAIL_BYTES), stderrTail: end.exit.stderrTail };
}

/** Undefined if nothing was started. A cost that the agent does not report is `null`. */
function spentBy(called: AgentCallResult): Spent | undefined {
  if (called.end.type === 'not-started') return undefined;
  const { result } = called.summary;
  const usage = usageOf(called);
  return { costUsd: result?.costUsd ?? null, ...defined({ usage }) };
}

function usageOf(called: AgentCallResult): TokenUsage | undefined {
  const { result } = called.summary;
  if (result?.usage === undefined || result.usageOfConversation !== true) return result?.usage;
  if (called.continuedFrom === undefined) return result.usage;
  return called.usageBefore === undefined ? undefined : usageAdded(result.usage, called.usageBefore);
}

/** `responses/<nnn>-<step>.json`. */
export function renderResponse(
  called: AgentCallResult,
  output: RunAgentOutput,
  call: {
    readonly step: string;
    readonly attempt: number;
    readonly startedAt: string;
    readonly endedAt: string;
  },
): string {
  const { end, summary } = called;
  const document: JsonObject = {
    schema_version: 1,
    ...{ step: call.step, attempt: call.attempt, agent: called.planned.name },
    started_at: call.startedAt,
    ended_at: call.endedAt,
    outcome: output.outcome,
    ...(output.failure === undefined
      ? {}
      : {
          message: describeFailure(output.failure),
          failure: output.failure as unknown as JsonValue,
        }),
    result: called.answer.text ?? null,
    ...defined({ structured: called.answer.structured }),
    cost_usd: output.spent?.costUsd ?? null,
    usage: (output.usage ?? null) as JsonValue,
    session_id: summary.sessionId ?? null,
    ...defined({ continued_from: called.continuedFrom }),
    model: output.model ?? null,
    agent_version: summary.version ?? null,
    turns: output.turns ?? null,
    exit_code: end.type === 'exited' ? end.exit.exitCode : null,
    ...(end.type === 'exited' && end.exit.signal !== undefined ? { signal: end.exit.signal } : {}),
    debug: (output.debug ?? {}) as JsonObject,
  };
  return `${JSON.stringify(document, null, 2)}\n`;
}
