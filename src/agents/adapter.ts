/**
 * An agent CLI is almost data: a name, a binary, how a request becomes a call, how a line becomes events, and what its exit
 * codes mean. Running, streaming, limits, killing and judging live once, elsewhere.
 */
import type { AgentEvent } from '../model/agent.ts';
import type { JsonObject } from '../model/json.ts';

export interface AgentAdapter {
  readonly name: string;
  readonly binary: string;
  /** Whether a conversation can be continued by its id. */
  readonly continues: boolean;
  /** Whether a copy of a conversation can be continued. */
  readonly forks: boolean;
  /** Whether the CLI itself keeps to a number of turns and to an amount of money. */
  readonly limitsTurns: boolean;
  readonly limitsBudget: boolean;
  /** The file by which its own tools are switched off, for a CLI without an option for it. */
  readonly toolsOffPolicy?: string;
  call(request: AgentRequest): AgentCall;
  createReader(): EventReader;
  /** What an exit code says, where the CLI gives it a meaning of its own. */
  exitMeaning(exitCode: number, seen: SeenBeforeExit): ExitMeaning | undefined;
}

export interface SeenBeforeExit {
  /** Whether a closing event came. */
  readonly result: boolean;
  readonly events: number;
  readonly stderrTail: string;
}

export interface AgentRequest {
  /** Replaces the binary. */
  readonly command?: readonly string[];
  readonly extraArgs?: readonly string[];
  readonly prompt: string;
  readonly model?: string;
  readonly systemPrompt?: string;
  readonly jsonSchema?: JsonObject;
  /** An absolute path that holds `jsonSchema`, for CLIs that want a file. */
  readonly schemaFile?: string;
  readonly session?: { readonly type: 'continue' | 'fork'; readonly sessionId: string };
  /** The conversation was begun with this very request: what it was told then, it knows. */
  readonly isSameTask?: boolean;
  readonly maxTurns?: number;
  readonly maxBudgetUsd?: number;
  readonly permissions?: 'default' | 'bypass';
  /** The CLI's own tools are off, as far as it can be told so: it thinks and answers, and others act. */
  readonly toolsOff?: boolean;
  /** An absolute path for a CLI that is told so by a file, with `toolsOffPolicy` in it. */
  readonly policyFile?: string;
}

export interface AgentCall {
  readonly argv: readonly string[];
  readonly stdin: string;
  readonly env: { readonly [name: string]: string };
}

/** One conversation's worth of lines; it may remember what came before. */
export interface EventReader {
  read(line: JsonObject): readonly AgentEvent[];
  /**
   * The event of a large tool result, told from a few bytes without parsing the rest; nothing where the line is something
   * else or cannot be told safely. `bytes` is one whole line.
   */
  skim(bytes: Buffer): AgentEvent | undefined;
}

export type ExitMeaning =
  | { readonly type: 'auth' | 'invalid-input' | 'max-turns' | 'denied' }
  | { readonly type: 'api-status'; readonly status: number };

/** The longest argument Linux takes, its closing zero byte not counted. */
export const LONGEST_ARGUMENT = 131_071;

export function fitsArgument(text: string): boolean {
  return Buffer.byteLength(text) <= LONGEST_ARGUMENT;
}

/** For CLIs without an option for it: put before the prompt. */
export function withSystemPrompt(request: AgentRequest): string {
  return request.systemPrompt === undefined || request.isSameTask === true
    ? request.prompt
    : `${request.systemPrompt}\n\n---\n\n${request.prompt}`;
}

/** For CLIs without an option for it: asked for in words. The answer is checked in any case. */
export function withSchemaInWords(prompt: string, schema: JsonObject | undefined): string {
  if (schema === undefined) return prompt;
  return `${prompt}\n\n---\n\nGive your final answer as one JSON value and nothing else: no prose, no code fence. It must match this JSON Schema:\n\n${JSON.stringify(schema, null, 2)}\n`;
}
