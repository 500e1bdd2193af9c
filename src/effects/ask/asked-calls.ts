/**
 * The tool calls of a conversation that persons are asked about, from attempt to attempt.
 *
 * Q1 The agent keeps one deferred call. Others of the same message are lost to it: they are found in its stream, asked about at the same
 *    time, and the agent is asked to make those again that were allowed.
 * Q2 Limits of the step are limits of all its attempts together; waiting for an answer is not counted.
 */
import type { AgentSummary } from '../../agents/summary.ts';
import type { AskRule } from '../../model/ask-rule.ts';
import { defined } from '../../model/defined.ts';
import type { Question } from '../../model/event.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../model/json.ts';
import type { Asked, Asks } from '../../model/record.ts';
import { sha256 } from '../../model/sha256.ts';
import { addUsd } from '../../model/usd.ts';
import type { RunAgentInput } from '../contracts.ts';
import { callDigest, type Grant } from './contract.ts';
import { decide, type ToolCall } from './decide.ts';
import type { Place } from './match-path.ts';
import { questionAbout } from './question.ts';

/** What is kept of a conversation that was stopped for questions. */
interface Memo {
  readonly sessionId: string;
  readonly calls: readonly AskedCall[];
  /** Calls that were lost though no rule asks about them, as text. */
  readonly dropped: readonly string[];
  /** Spent by all attempts so far. */
  readonly turns: number;
  readonly costUsd: number;
  readonly workedMs: number;
}

interface AskedCall {
  /** The name of its question. */
  readonly name: string;
  readonly id: string;
  readonly tool: string;
  readonly digest: string;
  /** For the message to the agent. */
  readonly text: string;
  readonly isLost: boolean;
}

/** The state of a conversation whose questions are answered. */
export interface Answered {
  readonly sessionId: string;
  readonly grants: readonly Grant[];
  /** The prompt, if calls were lost; otherwise empty. */
  readonly message: string;
  /** Tools of calls that were lost and denied: the agent's own list of denials does not have them. */
  readonly deniedTools: readonly string[];
  readonly memo: Memo;
}

export function answersIn(asked: readonly Asked[] | undefined): Answered | undefined {
  const rounds = (asked ?? []).map(({ memo, answers }) => ({ memo: memo as unknown as Memo, answers }));
  const last = rounds.at(-1);
  if (last === undefined) return undefined;
  const decided = rounds.flatMap(({ memo, answers }) =>
    memo.calls.map((call) => ({ call, grant: grantOf(call, answers[call.name]) })),
  );
  return {
    sessionId: last.memo.sessionId,
    grants: decided.map(({ grant }) => grant),
    message: messageAbout(last.memo, decided.slice(-last.memo.calls.length)),
    deniedTools: decided.flatMap(({ call, grant }) =>
      call.isLost && grant.choice === 'deny' ? [call.tool] : [],
    ),
    memo: last.memo,
  };
}

function grantOf(
  { name, id, digest, isLost }: AskedCall,
  answer: Asked['answers'][string] | undefined,
): Grant {
  const comment = answer?.type === 'chosen' ? answer.comment : undefined;
  return {
    ...{ name, id, choice: answer?.choice === 'allow' ? 'allow' : 'deny' },
    ...defined({ comment: comment?.slice(0, LONGEST_COMMENT) }),
    ...(isLost ? { digest } : {}),
  };
}

const LONGEST_COMMENT = 2000;

/** Q1 */
function messageAbout(
  { dropped }: Memo,
  decided: readonly { readonly call: AskedCall; readonly grant: Grant }[],
): string {
  const lost = decided.filter(({ call }) => call.isLost);
  if (lost.length === 0 && dropped.length === 0) return '';
  const lines = [
    ...lost.map(({ call, grant }) =>
      grant.choice === 'allow'
        ? `- allowed, not run yet: ${call.text}`
        : `- denied by a person${grant.comment === undefined ? '' : ` (${grant.comment})`}, do not make it: ${call.text}`,
    ),
    ...dropped.map((text) => `- not run yet: ${text}`),
  ];
  return `Your message contained more tool calls, which were stopped while a person was asked about them:\n${lines.join('\n')}\nMake those that were not run again, exactly as they are here, if they are still needed. Then finish the task as it was given, and end with the answer it asks for.`;
}

/** The rest of the limits (Q2). */
export function withinLimits<Input extends RunAgentInput>(input: Input, memo: Memo | undefined): Input {
  if (memo === undefined) return input;
  const { maxTurns, maxBudgetUsd, timeoutMs } = input;
  return {
    ...input,
    ...(maxTurns === undefined ? {} : { maxTurns: Math.max(1, maxTurns - memo.turns) }),
    ...(maxBudgetUsd === undefined
      ? {}
      : { maxBudgetUsd: Math.max(SMALLEST_BUDGET, maxBudgetUsd - memo.costUsd) }),
    ...(timeoutMs === undefined ? {} : { timeoutMs: Math.max(1, timeoutMs - memo.workedMs) }),
  };
}

/** Claude Code takes 0 for no limit. */
const SMALLEST_BUDGET = 0.0001;

export interface StoppedCall {
  readonly summary: AgentSummary;
  readonly rules: readonly AskRule[];
  readonly place: Place;
  /** Whether the answer with this name was used. */
  isUsed(name: string): boolean;
  readonly before: Answered | undefined;
  readonly costUsd: number;
  readonly workedMs: number;
}

/** Undefined if the agent was not stopped for a question. */
export function questionsAfter(stopped: StoppedCall): Asks | undefined {
  const { summary, before } = stopped;
  const unfinished = summary.result?.unfinished;
  if (unfinished?.type !== 'deferred' || unfinished.id === undefined || summary.sessionId === undefined)
    return undefined;
  const deferred = { id: unfinished.id, tool: unfinished.tool, input: objectIn(unfinished.input) };
  const others = summary.pending
    .filter(({ id }) => id !== deferred.id)
    .map(({ id, name, input }) => ({ id, tool: name, input: objectIn(input) }));
  const isAsked = (call: ToolCall): boolean => decide(stopped.rules, call, stopped.place) === 'ask';
  const asked = [deferred, ...others.filter(isAsked)];
  const calls = asked.map((call) => describe(call, call.id !== deferred.id, stopped));
  const questions: { [name: string]: Question } = {};
  for (const [at, { name }] of calls.entries()) {
    const call = asked[at];
    if (call !== undefined) questions[name] = questionAbout(call, isAgain(call.id, stopped));
  }
  const memo: Memo = {
    sessionId: summary.sessionId,
    calls,
    dropped: others.filter((call) => !isAsked(call)).map(textOf),
    turns: (before?.memo.turns ?? 0) + summary.ownTurns,
    costUsd: addUsd(before?.memo.costUsd ?? 0, stopped.costUsd),
    workedMs: (before?.memo.workedMs ?? 0) + stopped.workedMs,
  };
  return { questions, memo: memo as unknown as JsonValue };
}

function describe(call: IdentifiedCall, isLost: boolean, stopped: StoppedCall): AskedCall {
  const { id, tool } = call;
  return { name: nameFor(id, stopped), id, tool, digest: callDigest(call), text: textOf(call), isLost };
}

interface IdentifiedCall extends ToolCall {
  readonly id: string;
}

/** `toolu_1`, or `toolu_1-2` for the second question about the same call. */
function nameFor(id: string, { before }: StoppedCall): string {
  const base = /^[A-Za-z0-9_][A-Za-z0-9_.-]{0,99}$/.test(id) ? id : `call-${sha256(id).slice(0, 16)}`;
  const earlier = (before?.grants ?? []).filter((grant) => grant.id === id).length;
  return earlier === 0 ? base : `${base}-${earlier + 1}`;
}

function isAgain(id: string, { before, isUsed }: StoppedCall): boolean {
  const last = before?.grants.findLast((grant) => grant.id === id);
  return last !== undefined && isUsed(last.name);
}

const LONGEST_TEXT = 20_000;

function textOf({ tool, input }: ToolCall): string {
  return `${tool} ${JSON.stringify(input)}`.slice(0, LONGEST_TEXT);
}

function objectIn(value: JsonValue | undefined): JsonObject {
  return isJsonObject(value) ? value : {};
}
