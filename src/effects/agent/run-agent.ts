/**
 * Runs one agent once: prompt in, judged answer out.
 *
 * A1  The prompt and the response are files of the run, masked, even if the call fails.
 * A2  The outcome is the classifier's. Exit code 0 alone proves nothing.
 * A3  When this returns or throws, no process of the call is left, whatever session it moved to.
 * A4  The next attempt continues an interrupted conversation if the agent can; if the agent has lost it, the
 *     task starts from scratch, and says so. So does a conversation that stayed on another machine.
 * A5  With `ask`, a call that a person is asked about ends the agent. The next attempt continues its conversation with the answers: without
 *     a prompt, since the agent then runs the call itself; with one if it has done that already.
 */
import { ADAPTERS } from '../../agents/adapters/all.ts';
import { createEventStream } from '../../agents/read-events.ts';
import { isSessionId } from '../../agents/session-id.ts';
import { type AgentSummary, createSummary } from '../../agents/summary.ts';
import type { Effect, EffectContext } from '../../engine/durable.ts';
import type { AgentEvent } from '../../model/agent.ts';
import type { AskRule } from '../../model/ask-rule.ts';
import { defined } from '../../model/defined.ts';
import { exitCodeFor, type Failure, outcomeName } from '../../model/failure.ts';
import type { JsonObject } from '../../model/json.ts';
import type { Asks } from '../../model/record.ts';
import { error, ok, type Result } from '../../model/result.ts';
import { maskText } from '../../process/mask.ts';
import type { RunProcess } from '../../process/run-process.ts';
import { replaceFile } from '../../store/atomic-write.ts';
import { fileFailure } from '../../store/safe-path.ts';
import { answersIn, withinLimits } from '../ask/asked-calls.ts';
import type { AgentChoice, RunAgentInput, RunAgentOutput } from '../contracts.ts';
import { type AgentInputHere, agentAt } from '../site-paths.ts';
import { type CassetteUse, recordedAnswers } from './cassette-deck.ts';
import { keepConversation, keepTotals, readTotals } from './conversation.ts';
import { createGuard } from './guard.ts';
import { judge } from './judge.ts';
import { type AgentCallResult, makeOutput, renderResponse } from './output.ts';
import { type PlannedCall, planCall } from './planned-call.ts';
import { type PreparedCall, prepareCall } from './prepare.ts';
import { startAgent } from './start.ts';
import { createWatch } from './watch.ts';
import { remarksOn, type Way, waysToCall } from './ways.ts';
import { writeInside } from './write-inside.ts';

export type { CassetteUse } from './cassette-deck.ts';

export interface RunAgentParts {
  readonly runProcess: RunProcess;
  /** Environment that children inherit; default: the current `process.env`. */
  readonly environment?: { readonly [name: string]: string | undefined };
  /** Tool results are displayed: large ones are read too. */
  readonly showsToolResults?: boolean;
  readonly cassette?: CassetteUse;
  /** Secrets of the whole run: every child inherits them, so every call masks them. */
  readonly secrets?: readonly string[];
  /** The program that checks tool calls (`effects/ask/hook.ts`). */
  readonly askHook?: string;
  /** The rules of a workspace, for calls without rules of their own; the error is a sentence. */
  askIn?(workspace: string): Promise<Result<readonly AskRule[] | undefined, string>>;
}

const HUNG_AFTER_RESULT_MS = 60_000;

interface Call {
  readonly parts: RunAgentParts;
  readonly input: AgentInputHere;
  readonly context: EffectContext;
  readonly prepared: PreparedCall;
}

export function createRunAgent(parts: RunAgentParts): Effect<RunAgentInput, RunAgentOutput> {
  const base = parts.environment ?? { ...process.env };
  return async (given, context) => {
    const ruled = await withRules(given, context, parts);
    if (ruled.type === 'error') return refused(ruled.error, given);
    const input = agentAt(context.run, ruled.value);
    const startedAt = new Date().toISOString();
    const mayContinue =
      (input.continueInterrupted ?? true) &&
      input.agent.type === 'builtin' &&
      parts.cassette?.type !== 'replay';
    const prepared = prepareCall(input, context, {
      ...{ base, mayContinue, agent: agentName(input.agent) },
      secrets: parts.secrets ?? [],
      needsSecrets: parts.cassette?.type !== 'replay',
    });
    if (prepared.type === 'error') return refused(prepared.error, input);
    const answered = answersIn(context.asked);
    const call: Call = {
      ...{ parts, context, prepared: prepared.value },
      input: withinLimits(input, answered?.memo),
    };
    const start = {
      ...{ prompt: prepared.value.prompt, continuesByItself: mayContinue && canContinue(input.agent) },
      ...defined({ interrupted: prepared.value.interrupted, session: input.session, answered }),
      ...defined({ partedFrom: context.partedFrom }),
    };
    const ways = waysToCall(start);
    for (const [index, way] of ways.entries()) {
      const called = await callAgent(call, way);
      // A4
      if (index < ways.length - 1 && hasLostConversation(called)) continue;
      const remarks = remarksOn(start, ways, way);
      const output = keep(call, called, startedAt);
      return remarks.length === 0 ? output : { ...output, remarks };
    }
    throw new Error('an agent call that continues nothing has lost its conversation');
  };
}

/** The nearest rules count, even if there are none in that list. */
async function withRules(
  input: RunAgentInput,
  { run }: EffectContext,
  { askIn }: RunAgentParts,
): Promise<Result<RunAgentInput, Failure>> {
  if (askIn === undefined || input.ask !== undefined || input.toolsOff === true) return ok(input);
  const ask = await askIn(run.home ?? run.workspace);
  if (ask.type === 'error')
    return error({ type: 'agent', outcome: { type: 'invalid-input', message: ask.error } });
  return ok({ ...input, ...defined({ ask: ask.value }) });
}

/** Starts the agent, follows it to its end and judges the result. */
async function callAgent(call: Call, way: Way): Promise<AgentCallResult> {
  const { parts, input, context, prepared } = call;
  const { continues, answered, isAnew } = way;
  const startedAt = Date.now();
  const session =
    continues === undefined
      ? isAnew === true
        ? undefined
        : input.session
      : { type: 'continue' as const, sessionId: continues };
  // A user's own command runs as written, even if a conversation was requested.
  const continuedFrom = input.agent.type === 'builtin' ? session?.sessionId : undefined;
  const guard = createGuard({
    ...{ input, prepared, workspace: context.run.workspace, answered, hook: parts.askHook ?? '' },
  });
  const plan = planCall({
    input,
    session,
    prompt: way.prompt,
    isSameTask: continues !== undefined,
    schemaFile: prepared.files.schema,
    toolFiles: prepared.toolFiles,
    mask: prepared.mask,
    ...defined({ guard: guard?.command }),
  });
  if (plan.type === 'error') return neverStarted(plan.error, input);
  const planned = plan.value;
  const { reading } = planned;
  const adapter = reading.type === 'events' ? reading.adapter : undefined;
  const watch = createWatch({
    events: createEventStream(adapter?.createReader() ?? SILENT, {
      wholeToolResults: parts.showsToolResults === true,
    }),
    hungAfterResultMs: input.hungAfterResultMs ?? HUNG_AFTER_RESULT_MS,
    ...(adapter !== undefined && !adapter.limitsTurns && input.maxTurns !== undefined
      ? { maxTurns: input.maxTurns }
      : {}),
    mustBeGuarded: guard !== undefined && isProcess(call),
    ...defined({ sessionId: planned.call.sessionId }),
    seen: follower(call, planned),
  });
  const end = await startAgent({
    ...{ runProcess: parts.runProcess, input, context, prepared, planned, watch },
    ...defined({ cassette: parts.cassette, sessionId: continuedFrom, check: guard?.check }),
    ...defined({ answers: context.asked?.at(-1)?.answers }),
  });
  const summary = watch.finish();
  const usageBefore = continuedFrom === undefined ? undefined : readTotals(prepared.paths, continuedFrom);
  const called: AgentCallResult = {
    planned,
    summary,
    end,
    ...judge({ input, planned, summary, end, ...defined({ guard }) }),
    ...defined({ continuedFrom, usageBefore }),
  };
  const asks = guard?.questions(called, Date.now() - startedAt);
  if (asks === undefined) return called;
  const { failure: _, ...stopped } = called;
  return { ...stopped, outcome: 'asked', asks: withRecorded(call, asks) };
}

/** An agent that has hooks: not the mock, and not a recording. */
function isProcess({ input, parts }: Call): boolean {
  return (
    !(input.agent.type === 'builtin' && input.agent.adapter === 'mock') && parts.cassette?.type !== 'replay'
  );
}

/** A replay has the answers of its recording. */
function withRecorded({ parts, context }: Call, asks: Asks): Asks {
  const { cassette } = parts;
  const answers = cassette?.type === 'replay' ? recordedAnswers(cassette.folder, context) : undefined;
  return { ...asks, ...defined({ answers }) };
}

/** For a command that prints no events. */
const SILENT = { read: () => [], skim: () => undefined };

/** Shows events, and saves the conversation's id as soon as it is known. */
function follower(call: Call, planned: PlannedCall): (event: AgentEvent, summary: AgentSummary) => void {
  const { context, prepared, input } = call;
  const { reading } = planned;
  const continues =
    input.agent.type === 'builtin' &&
    reading.type === 'events' &&
    reading.adapter.continues &&
    call.parts.cassette?.type !== 'replay';
  let kept = '';
  return (event, summary) => {
    if (reading.type === 'events') context.emit({ type: 'agent', event });
    const { sessionId, worked } = summary;
    if (!continues || sessionId === undefined || !isSessionId(sessionId)) return;
    const now = `${sessionId} ${worked}`;
    if (now === kept) return;
    kept = now;
    const agent = agentName(input.agent);
    attempt(() =>
      keepConversation(prepared.files.conversation, {
        sessionId,
        agent,
        promptDigest: prepared.digest,
        worked,
      }),
    );
  };
}

function hasLostConversation(called: AgentCallResult): boolean {
  const { failure } = called;
  return failure?.type === 'agent' && failure.outcome.type === 'invalid-input' && !called.summary.worked;
}

/** A1 */
function keep(call: Call, called: AgentCallResult, startedAt: string): RunAgentOutput {
  const { input, context, prepared } = call;
  const { summary } = called;
  const written = writeAnswer(call, called);
  const final: AgentCallResult =
    written === undefined ? called : { ...called, outcome: outcomeName(written), failure: written };
  const output: RunAgentOutput = {
    ...makeOutput(final, input, debugOf(call, called)),
    ...defined({ asks: called.asks }),
    promptFile: `prompts/${prepared.files.name}.txt`,
    responseFile: `responses/${prepared.files.name}.json`,
  };
  const totals = summary.result?.usageOfConversation === true ? summary.result.usage : undefined;
  const { sessionId } = summary;
  const unkept = attempt(() => {
    const text = renderResponse(final, output, {
      ...{ step: context.key, attempt: context.attempt, startedAt, endedAt: new Date().toISOString() },
    });
    replaceFile(prepared.files.response, maskText(text, prepared.mask));
    if (totals !== undefined && sessionId !== undefined && isSessionId(sessionId)) {
      keepTotals(prepared.paths, sessionId, totals);
    }
  });
  const billed = call.parts.cassette?.type === 'replay' ? unpaid(output) : output;
  if (unkept === undefined) return billed;
  // The work is done and paid for: failing to write a copy does not discard the answer.
  return { ...billed, debug: { ...billed.debug, response_not_written: unkept } };
}

/** A replayed answer was paid for by the run that recorded it. */
function unpaid({ spent, usage: _usage, ...output }: RunAgentOutput): RunAgentOutput {
  return spent === undefined ? output : { ...output, spent: { costUsd: 0 } };
}

/** A command's stdout was already written as it arrived. */
function writeAnswer(call: Call, called: AgentCallResult): Failure | undefined {
  const { input, context } = call;
  const { reading } = called.planned;
  const isStdout =
    reading.type === 'plain' && reading.plain.result === 'text' && call.parts.cassette?.type !== 'replay';
  if (input.outputFile === undefined || called.failure !== undefined || isStdout) return undefined;
  return writeInside(context.run.workspace, input.outputFile, called.answer.text ?? '');
}

function debugOf(call: Call, called: AgentCallResult): JsonObject {
  const { input, prepared } = call;
  const { result, refused: notMadeUpFor } = called.summary;
  const denied = new Set([...(result?.denials ?? []).map(({ tool }) => tool), ...notMadeUpFor]);
  return {
    command: called.planned.shownArgv,
    cwd: input.cwd ?? '.',
    ...defined({ injection: prepared.injection }),
    ...(prepared.interrupted === undefined
      ? {}
      : {
          continued: {
            session_id: prepared.interrupted,
            succeeded: called.continuedFrom === prepared.interrupted,
          },
        }),
    ...(called.planned.unkept.length > 0 ? { not_kept: called.planned.unkept } : {}),
    ...(denied.size > 0 ? { denied_tools: [...denied] } : {}),
    ...defined({ agent_version: called.summary.version }),
  };
}

/** The agent was never started, so its exit code and place are unknown. */
function refused(failure: Failure, input: RunAgentInput): RunAgentOutput {
  return {
    exitCode: exitCodeFor(failure),
    outcome: outcomeName(failure),
    failure,
    capture: input.capture,
  };
}

function neverStarted(failure: Failure, input: RunAgentInput): AgentCallResult {
  const name = agentName(input.agent);
  return {
    planned: {
      ...{ name, call: { argv: [], stdin: '', env: {} }, shownArgv: [], unkept: [] },
      reading: { type: 'plain', plain: { result: 'text' } },
    },
    summary: createSummary().summary(),
    end: { type: 'not-started', failure },
    answer: {},
    outcome: outcomeName(failure),
    failure,
  };
}

function canContinue(agent: AgentChoice): boolean {
  return agent.type === 'builtin' && ADAPTERS[agent.adapter].continues;
}

function agentName(agent: AgentChoice): string {
  return agent.type === 'builtin' ? agent.adapter : agent.name;
}

/** The code of a file system error. */
function attempt(write: () => void): string | undefined {
  try {
    write();
    return undefined;
  } catch (cause) {
    const failure = fileFailure('write', 'responses', cause);
    return failure.type === 'file' ? failure.code : failure.type;
  }
}
