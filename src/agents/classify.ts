/**
 * Decides how an agent call ended.
 *
 * C1  Exit code 0 is not success: a known CLI that ends without a closing event has crashed, whatever its exit code.
 * C2  The closing event counts only if no work followed it; if there are several, the last one counts.
 * C3  Only a structured event or the CLI's own error result can report a limit. Prose and tool output are never searched for one.
 * C4  A successful result is kept even if the process is killed before it exits: the work is done.
 * C5  A result without an error is a success only if the agent finished its work: not if a hook stopped it, a tool call was deferred,
 *     or the CLI gives another reason for the end.
 */
import type { AgentOutcome, AgentResult, Unfinished } from '../model/agent.ts';
import { defined } from '../model/defined.ts';
import { unreachable } from '../model/unreachable.ts';
import type { AgentAdapter, ExitMeaning } from './adapter.ts';
import type { AgentSummary } from './summary.ts';

/** How the process itself ended. */
export interface AgentExit {
  readonly exitCode: number;
  readonly signal?: string;
  readonly ended?: AgentEnded;
  /** The end of its stderr, used only in messages. */
  readonly stderrTail: string;
}

/** Why the call was stopped from outside: the first cause. */
export type AgentEnded =
  | { readonly type: 'timed-out' | 'idle' | 'hung-after-result'; readonly afterMs: number }
  | { readonly type: 'max-turns'; readonly limit: number }
  /** It started without the hooks that its tool calls are checked by. */
  | { readonly type: 'unguarded' };

export interface AgentEvidence {
  readonly adapter: Pick<AgentAdapter, 'name' | 'exitMeaning'>;
  readonly summary: AgentSummary;
  readonly exit: AgentExit;
  /** A structured answer was requested; whether it was given is checked elsewhere. */
  readonly schemaAsked: boolean;
}

export function classify(evidence: AgentEvidence): AgentOutcome {
  const { summary, exit } = evidence;
  const { result } = summary;
  if (exit.ended?.type === 'unguarded') return { type: 'invalid-input', message: UNGUARDED };
  if (result?.isError === true) return judgeError(result, evidence);
  if (result === undefined) return judgeSilence(evidence);
  if (result.unfinished !== undefined) return judgeUnfinished(result.unfinished);
  if (exit.ended !== undefined && 'afterMs' in exit.ended) {
    return { type: 'hung-after-result', afterMs: exit.ended.afterMs };
  }
  if (summary.refused.length > 0) {
    return { type: 'denied', tools: summary.refused, message: firstLine(result.text), isFinished: true };
  }
  return { type: 'done' };
}

const UNGUARDED =
  'its hooks are off, so `ask` cannot check its tool calls; is there `disableAllHooks` in its settings, or an option among its arguments that replaces them?';

/** C5 */
function judgeUnfinished(unfinished: Unfinished): AgentOutcome {
  switch (unfinished.type) {
    case 'deferred':
      return { type: 'denied', tools: [unfinished.tool], message: 'a hook deferred the call', by: 'hook' };
    case 'hook':
      return { type: 'denied', tools: [], message: firstLine(unfinished.words ?? ''), by: 'hook' };
    case 'refused':
      return { type: 'denied', tools: unfinished.tools, message: '' };
    case 'other':
      return isContextFull(unfinished.reason)
        ? { type: 'invalid-input', message: `its context is full (\`${unfinished.reason}\`)` }
        : { type: 'crashed', message: `it stopped with \`${unfinished.reason}\`` };
    default:
      return unreachable(unfinished);
  }
}

/** Claude Code's names for a full context. */
function isContextFull(reason: string): boolean {
  return ['prompt_too_long', 'blocking_limit', 'rapid_refill_breaker'].includes(reason);
}

/** C1 */
function judgeSilence({ adapter, summary, exit }: AgentEvidence): AgentOutcome {
  const { ended } = exit;
  if (ended?.type === 'max-turns') {
    return {
      type: 'max-turns',
      turns: summary.turns,
      message: `it was stopped at its limit of ${ended.limit}`,
    };
  }
  if (ended?.type === 'timed-out' || ended?.type === 'idle')
    return { type: ended.type, afterMs: ended.afterMs };
  const said = lastLines(exit.stderrTail);
  const meaning =
    exit.signal === undefined
      ? adapter.exitMeaning(exit.exitCode, {
          ...{ result: false, events: summary.events, stderrTail: exit.stderrTail },
        })
      : undefined;
  const how = exit.signal === undefined ? `exit code ${exit.exitCode}` : exit.signal;
  const message = said === '' ? how : `${how}: ${said}`;
  if (meaning !== undefined) return judgeMeaning(meaning, message, summary);
  return {
    type: 'crashed',
    message:
      exit.exitCode === 0
        ? `${message}, but its output has no result; is this really \`${adapter.name}\`?`
        : message,
    exitCode: exit.exitCode,
    ...defined({ signal: exit.signal }),
  };
}

function judgeError(result: AgentResult, evidence: AgentEvidence): AgentOutcome {
  const { adapter, summary, exit } = evidence;
  const message = firstLine(result.errors?.[0] ?? result.text) || result.subtype;
  switch (result.subtype) {
    case 'error_max_turns':
      return { type: 'max-turns', turns: summary.turns, message };
    case 'error_max_budget_usd':
      return { type: 'over-budget', message };
    case 'error_max_structured_output_retries':
      // It finished; the schema check decides whether the answer is valid.
      return evidence.schemaAsked ? { type: 'done' } : { type: 'crashed', message };
    case 'error_during_execution':
      if (result.turns === 0 && result.apiStatus === undefined) return { type: 'invalid-input', message };
  }
  const byName = result.errorType === undefined ? undefined : judgeName(result.errorType, message, summary);
  if (byName !== undefined) return byName;
  if (result.apiStatus !== undefined) return judgeStatus(result.apiStatus, message, summary);
  const meaning =
    exit.signal === undefined && exit.ended === undefined
      ? adapter.exitMeaning(exit.exitCode, {
          ...{ result: true, events: summary.events, stderrTail: exit.stderrTail },
        })
      : undefined;
  if (meaning !== undefined) return judgeMeaning(meaning, message, summary);
  if (summary.limitReached) return limited(message, summary);
  if (result.subtype === 'overlong' || result.subtype === 'error_during_execution') {
    return { type: 'crashed', message, exitCode: exit.exitCode };
  }
  return { type: 'api-error', message };
}

/** The outcome for the CLI's own exit code. */
function judgeMeaning(meaning: ExitMeaning, message: string, summary: AgentSummary): AgentOutcome {
  switch (meaning.type) {
    case 'auth':
    case 'invalid-input':
    case 'over-budget':
      return { type: meaning.type, message };
    case 'max-turns':
      return { type: meaning.type, turns: summary.turns, message };
    case 'denied':
      return { type: meaning.type, tools: [], message, by: 'untrusted-folder' };
    case 'api-status':
      return judgeStatus(meaning.status, message, summary);
    default:
      return unreachable(meaning);
  }
}

/** Names of errors in structured fields of CLIs and their APIs. */
function judgeName(name: string, message: string, summary: AgentSummary): AgentOutcome | undefined {
  switch (name) {
    case 'authentication_failed':
    case 'API_KEY_INVALID':
    case 'FatalAuthenticationError':
      return { type: 'auth', message };
    case 'billing_error':
      return { type: 'over-budget', message, isAccount: true };
    case 'rate_limit':
    case 'usage_limit_reached':
      return limited(message, summary);
    case 'overloaded':
      return { type: 'overloaded', message };
    case 'invalid_request':
    case 'invalid_request_error':
    case 'FatalInputError':
      return { type: 'invalid-input', message };
    case 'FatalTurnLimitedError':
      return { type: 'max-turns', turns: summary.turns, message };
    default:
      return undefined;
  }
}

function judgeStatus(status: number, message: string, summary: AgentSummary): AgentOutcome {
  if (status === 429) return limited(message, summary);
  if (status === 401 || status === 403) return { type: 'auth', message };
  if (status === 402) return { type: 'over-budget', message, isAccount: true };
  if (status === 503 || status === 529) return { type: 'overloaded', status, message };
  if (status >= 500 || status === 408 || status === 409 || status === 425) {
    return { type: 'api-error', status, message };
  }
  return { type: 'invalid-input', message };
}

/** C3 */
function limited(message: string, summary: AgentSummary): AgentOutcome {
  const resetsAt = summary.resetsAt ?? summary.result?.resetsAt;
  return { type: 'rate-limited', ...defined({ resetsAt }), message };
}

const LONGEST_MESSAGE = 500;

function firstLine(text: string): string {
  return (text.trim().split('\n', 1)[0] ?? '').slice(0, LONGEST_MESSAGE);
}

function lastLines(text: string): string {
  const lines = text.trimEnd().split('\n').slice(-3);
  return lines.join('\n').trim().slice(-LONGEST_MESSAGE);
}
