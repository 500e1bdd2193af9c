/** The options and results of the calls of a context. */
import type { AgentName, TokenUsage } from '../../model/agent.ts';
import type { AgentTools } from '../../model/agent-tools.ts';
import type { AskRule } from '../../model/ask-rule.ts';
import type { Failure } from '../../model/failure.ts';
import type { JsonValue } from '../../model/json.ts';
import type { SandboxWish } from '../../model/sandbox.ts';
import type { AnswerSchema } from './standard-schema.ts';

/** Milliseconds, or a number with a unit: `90s`, `10m`, `3d`. */
export type Duration = number | `${number}${'ms' | 's' | 'm' | 'h' | 'd'}`;

/** Options of everything that starts a process. */
export interface ProcessOptions {
  /** Folder it runs in, relative to the workspace. */
  readonly cwd?: string;
  /** Added to the environment, as written. */
  readonly env?: { readonly [name: string]: string };
  /** Names of environment variables that hold secrets: their values are masked wherever output is kept or shown. */
  readonly secrets?: readonly string[];
  readonly sandbox?: SandboxWish;
  readonly timeout?: Duration;
  readonly idleTimeout?: Duration;
  /** Attempts after the first; default: 0 for commands, 2 for agents. */
  readonly retries?: number;
  /** Delay before the first retry; doubled each time. */
  readonly retryDelay?: Duration;
  /** A failure is answered, with `failure` and `exitCode`, instead of thrown. */
  readonly allowFailure?: boolean;
}

export type Capture = 'text' | 'lines' | 'json';

export interface CommandOptions<Kind extends Capture = Capture> extends ProcessOptions {
  /** Default: `text`. */
  readonly capture?: Kind;
  /** Workspace-relative file used as standard input. */
  readonly stdinFile?: string;
  /** Workspace-relative file that receives the whole standard output. */
  readonly outputFile?: string;
  /** Exit codes that are not failures; default: only 0. */
  readonly successCodes?: readonly number[] | 'any';
}

export interface CommandResult<Kind extends Capture = Capture> {
  readonly exitCode: number;
  /** The output, without the line break at its end; with `truncated` only its first 8 KiB. Empty with other kinds of `capture`. */
  readonly stdout: string;
  /** With `capture: 'lines'`; otherwise empty. */
  readonly lines: readonly string[];
  /** With `capture: 'json'`. */
  readonly json: Kind extends 'json' ? JsonValue : undefined;
  readonly truncated: boolean;
  readonly durationMs: number;
  /** With `allowFailure`: why it failed. */
  readonly failure?: Failure;
}

/** An agent of a workflow: what `providers:` of a YAML workflow says. */
export interface AgentDeclaration {
  /** Default: the name of the agent, if that is one. */
  readonly adapter?: AgentName | 'plain';
  readonly model?: string;
  /** The command line to run instead of the adapter's own; `${PROMPT}` is the prompt. */
  readonly command?: readonly string[];
  /** Default: `argv` if the command contains `${PROMPT}`. */
  readonly inputMode?: 'argv' | 'stdin';
  /** Arguments added to the adapter's own command line. */
  readonly args?: readonly string[];
  /** Agents to call, in this order, if this one is limited or unavailable. */
  readonly fallback?: readonly string[];
  readonly timeout?: Duration;
  /** For `mock`: what it does and answers. */
  readonly script?: JsonValue;
  readonly tools?: AgentTools;
  readonly ask?: readonly AskRule[];
  readonly sandbox?: SandboxWish;
}

export interface AgentOptions<Data = unknown> extends ProcessOptions {
  /** The name of a declared agent, or of a CLI: `claude`, `codex`, `gemini`, … */
  readonly agent: string;
  readonly prompt: string;
  /** The answer must match. It is passed to the CLI if it has an option for it, and the answer is checked in any case. */
  readonly schema?: AnswerSchema<Data>;
  readonly expect?: Expectation;
  /** The `sessionId` of an earlier result: continues that conversation. */
  readonly continue?: string;
  /** The `sessionId` of an earlier result: starts from a copy of that conversation. */
  readonly fork?: string;
  readonly model?: string;
  readonly systemPrompt?: string;
  /** `bypass`: without permission prompts. */
  readonly permissions?: 'default' | 'bypass';
  readonly maxTurns?: number;
  readonly maxBudgetUsd?: number;
  readonly tools?: AgentTools;
  readonly ask?: readonly AskRule[];
  /** Workspace-relative file that receives the final answer. */
  readonly outputFile?: string;
}

/** Proof that an agent has done its work. */
export interface Expectation {
  /** Workspace-relative files that must exist and not be empty. */
  readonly files?: readonly string[];
  /** A command that must exit with 0. */
  readonly command?: readonly string[];
  /** How often the agent is asked again, with the reasons; default: 0. */
  readonly reask?: number;
}

export interface AgentResult<Data = unknown> {
  /** What the schema made of the answer; undefined without a schema, or if it failed with `allowFailure`. */
  readonly data: Data;
  /** The final answer. */
  readonly text: string;
  readonly exitCode: number;
  /** The id of the conversation, if the agent has one. */
  readonly sessionId: string | undefined;
  /** The sum over all attempts; undefined if it was not reported. */
  readonly costUsd: number | undefined;
  /** The sum over all attempts. */
  readonly usage: TokenUsage | undefined;
  readonly durationMs: number;
  /** With `allowFailure`: why it failed. */
  readonly failure?: Failure;
}

export interface EachOptions {
  /** How many run at once; default: 1. */
  readonly limit?: number;
  /** `stop`: after a failure nothing more starts (default). `continue`: the rest still runs. Either way the failure is thrown at the end. */
  readonly onFailure?: 'stop' | 'continue';
}

export interface ApprovalQuestion<Choice extends string> {
  readonly message: string;
  readonly choices: readonly [Choice, ...Choice[]];
  /** After this time `default` is the answer; without one the call fails. */
  readonly within?: Duration;
  readonly default?: NoInfer<Choice>;
}

export interface FilesOptions {
  /** How long to wait; default: an hour. */
  readonly within?: Duration;
  /** How many files; default: 1. */
  readonly atLeast?: number;
  readonly poll?: Duration;
}

/** What a function of `do` and an effect receive. */
export interface DoSite {
  /** Aborted when the run is interrupted or cancelled. */
  readonly signal: AbortSignal;
  /** `<run>/<key>`: the same if the call is repeated after a crash. */
  readonly idempotencyKey: string;
  /** 1, or more when it is retried. */
  readonly attempt: number;
  /** Shows a line of progress. */
  emit(text: string): void;
}

export interface DoOptions {
  /** Attempts after the first; default: 0. */
  readonly retries?: number;
  readonly retryDelay?: Duration;
}

/** What `ctx.run` tells about the run. */
export interface RunFacts {
  readonly id: string;
  /** Absolute. */
  readonly workspace: string;
  /** ISO 8601. */
  readonly startedAt: string;
  /** Aborted when the run stops. */
  readonly signal: AbortSignal;
}
