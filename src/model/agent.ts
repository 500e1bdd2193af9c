import type { JsonValue } from './json.ts';

/** The agents known by name: each has an adapter. */
export const AGENT_NAMES = ['claude', 'gemini', 'codex', 'opencode', 'copilot', 'qwen', 'mock'] as const;

export type AgentName = (typeof AGENT_NAMES)[number];

/** What any agent CLI reports while it works, in one vocabulary. Parsed by `agents/`, shown by `report/`. */
export type AgentEvent =
  | {
      readonly type: 'started';
      readonly sessionId?: string;
      readonly model?: string;
      readonly version?: string;
      /** The hooks of the call are at work. */
      readonly isGuarded?: boolean;
    }
  /** `delta`: a piece that continues the one before. `parentId`: said by a subagent that this tool call started. */
  | { readonly type: 'text'; readonly text: string; readonly delta: boolean; readonly parentId?: string }
  | { readonly type: 'thinking'; readonly text: string }
  | {
      readonly type: 'tool-use';
      readonly id: string;
      readonly name: string;
      readonly input: JsonValue;
      readonly parentId?: string;
    }
  | {
      readonly type: 'tool-result';
      readonly id: string;
      readonly isError: boolean;
      readonly content: string;
      /** Size of content that was left in the log because it is not displayed; `content` is then empty. */
      readonly omittedBytes?: number;
      readonly exitCode?: number;
      /** The CLI blocked it: a rule, a hook or a missing permission. */
      readonly refused?: boolean;
    }
  | { readonly type: 'todo'; readonly items: readonly AgentTodo[] }
  | { readonly type: 'rate-limit'; readonly status: string; readonly resetsAt?: string }
  | { readonly type: 'retry'; readonly attempt?: number; readonly message: string }
  | { readonly type: 'usage'; readonly usage: TokenUsage }
  | { readonly type: 'result'; readonly result: AgentResult }
  | { readonly type: 'unrecognised'; readonly name: string };

export interface AgentTodo {
  readonly content: string;
  readonly status: 'pending' | 'in_progress' | 'completed';
}

export interface TokenUsage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cacheReadTokens?: number;
  readonly cacheWriteTokens?: number;
}

/** The CLI's own final result, before classification. */
export interface AgentResult {
  readonly isError: boolean;
  /** The CLI's own name for how it ended: `success`, `error_max_turns`, `turn.failed`, … */
  readonly subtype: string;
  readonly text: string;
  readonly structured?: JsonValue;
  readonly errors?: readonly string[];
  /** The CLI's or its API's own name for the error: `rate_limit`, `FatalTurnLimitedError`, … */
  readonly errorType?: string;
  /** HTTP status of the API error that ended it, if the CLI reports it. */
  readonly apiStatus?: number;
  readonly turns?: number;
  /** `null`: the CLI does not report it. */
  readonly costUsd: number | null;
  readonly usage?: TokenUsage;
  /** `usage` counts the whole conversation, earlier calls included. */
  readonly usageOfConversation?: boolean;
  readonly sessionId?: string;
  readonly denials?: readonly AgentDenial[];
  /** Why it stopped before finishing, if the CLI does not report that as an error. */
  readonly unfinished?: Unfinished;
  /** When the reported limit ends, if its error says so. */
  readonly resetsAt?: string;
}

export type Unfinished =
  /** A hook deferred a tool call to a user. */
  | {
      readonly type: 'deferred';
      readonly tool: string;
      readonly id?: string;
      readonly input?: JsonValue;
    }
  /** `words`: the hook's own message, if the CLI passes it on. */
  | { readonly type: 'hook'; readonly words?: string }
  /** It stopped at tools that were denied. */
  | { readonly type: 'refused'; readonly tools: readonly string[] }
  /** The CLI's own name for it. */
  | { readonly type: 'other'; readonly reason: string };

/** A tool call the CLI did not allow. */
export interface AgentDenial {
  readonly tool: string;
  readonly toolUseId?: string;
  readonly input?: JsonValue;
}

/** How an agent call really ended: the judgement of the one classifier, from events, exit code and signal. */
export type AgentOutcome =
  | { readonly type: 'done' }
  | { readonly type: 'rate-limited'; readonly resetsAt?: string; readonly message: string }
  | { readonly type: 'overloaded'; readonly status?: number; readonly message: string }
  | { readonly type: 'api-error'; readonly status?: number; readonly message: string }
  | { readonly type: 'auth'; readonly message: string }
  | Denied
  | { readonly type: 'max-turns'; readonly turns?: number; readonly message: string }
  /** `isAccount`: the account is out of money or quota, not one of our limits. */
  | { readonly type: 'over-budget'; readonly message: string; readonly isAccount?: boolean }
  | { readonly type: 'invalid-input'; readonly message: string }
  | { readonly type: 'timed-out'; readonly afterMs: number }
  | { readonly type: 'idle'; readonly afterMs: number }
  /** The final result arrived but the process did not exit: the result is kept, the process was stopped. */
  | { readonly type: 'hung-after-result'; readonly afterMs: number }
  | {
      readonly type: 'crashed';
      readonly message: string;
      readonly exitCode?: number;
      readonly signal?: string;
    }
  | { readonly type: 'not-found'; readonly program: string };

/** The agent was refused something and did not make up for it. */
export interface Denied {
  readonly type: 'denied';
  /** Empty if the whole call was refused, not a tool. */
  readonly tools: readonly string[];
  readonly message: string;
  /** What refused it, if not a missing permission for a tool. */
  readonly by?: 'hook' | 'untrusted-folder' | 'denied-tools' | 'ask-rule' | 'person';
  /** The agent finished anyway: its work counts if there is proof of it. */
  readonly isFinished?: boolean;
  /** Refused despite `permissions: bypass`, by the agent's own settings. */
  readonly isBypassed?: boolean;
  /** The agent has no option for a list of allowed tools. */
  readonly hasNoList?: true;
  /** The command that repeats the call with all permissions. Default: keys of the workflow's step grant them. */
  readonly permit?: string;
}

/** Outcomes that a user can map an exit code to: those that follow from the exit alone. */
export const EXIT_CODE_OUTCOMES = [
  'done',
  'rate-limited',
  'overloaded',
  'api-error',
  'auth',
  'denied',
  'max-turns',
  'over-budget',
  'invalid-input',
  'timed-out',
  'idle',
  'crashed',
] as const satisfies readonly AgentOutcome['type'][];

export type ExitCodeOutcome = (typeof EXIT_CODE_OUTCOMES)[number];

/** Every outcome by its name. */
export const OUTCOME_NAMES = [
  ...EXIT_CODE_OUTCOMES,
  'hung-after-result',
  'not-found',
] as const satisfies readonly AgentOutcome['type'][];

/** Both leave a usable result; every other outcome is a failure. */
export function succeeded(outcome: AgentOutcome): boolean {
  return outcome.type === 'done' || outcome.type === 'hung-after-result';
}
