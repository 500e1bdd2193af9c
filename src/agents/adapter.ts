/**
 * Describes an agent CLI: its name and binary, how a request becomes a call, how a line becomes events, and what its exit codes mean.
 * Running, streaming, limits, killing and classifying are shared by all agents and implemented elsewhere.
 */
import { join } from 'node:path';
import type { AgentEvent } from '../model/agent.ts';
import type { AgentTools, McpServer } from '../model/agent-tools.ts';
import type { JsonObject } from '../model/json.ts';

export interface AgentAdapter {
  readonly name: string;
  readonly binary: string;
  /** Whether a conversation can be continued by its id. */
  readonly continues: boolean;
  /** Whether a copy of a conversation can be continued. */
  readonly forks: boolean;
  /** Whether a new conversation can be given an id. */
  readonly takesSessionId?: boolean;
  /** Whether the CLI itself enforces a maximum number of turns and a budget. */
  readonly limitsTurns: boolean;
  readonly limitsBudget: boolean;
  /** The content of a file that says which tools it may use, for a CLI without an option for it. */
  policy?(request: ToolRequest): string | undefined;
  /** The content of a file with its MCP servers, for a CLI without an option for them. */
  mcpConfig?(servers: { readonly [name: string]: McpServer }): string;
  /** Where it keeps its own settings, sign-in and conversations. */
  stateIn(env: AgentEnvironment): AgentState;
  /** The addresses of its model: URLs, `host` or `host:port`. */
  modelHosts(env: AgentEnvironment): readonly string[];
  call(request: AgentRequest): AgentCall;
  createReader(): EventReader;
  /** What an exit code means, if the CLI defines it. */
  exitMeaning(exitCode: number, seen: SeenBeforeExit): ExitMeaning | undefined;
}

/** Absolute paths, some of which may not exist. */
export interface AgentState {
  readonly folders: readonly string[];
  readonly files?: readonly string[];
}

export interface AgentEnvironment {
  readonly [name: string]: string;
}

/** Folders and files in the home folder; none if there is no home. */
export function inHome(env: AgentEnvironment, ...names: readonly string[]): readonly string[] {
  const home = env['HOME'];
  return home === undefined || home === '' ? [] : names.map((name) => join(home, name));
}

export interface SeenBeforeExit {
  /** Whether there was a closing event. */
  readonly result: boolean;
  readonly events: number;
  readonly stderrTail: string;
}

/** What a call says about tools. */
export interface ToolRequest {
  /** Disables the CLI's own tools as far as it allows: it only thinks and answers. */
  readonly toolsOff?: boolean;
  readonly tools?: AgentTools;
}

export interface AgentRequest extends ToolRequest {
  /** Replaces the binary. */
  readonly command?: readonly string[];
  readonly extraArgs?: readonly string[];
  readonly prompt: string;
  readonly model?: string;
  readonly systemPrompt?: string;
  readonly jsonSchema?: JsonObject;
  /** An absolute path of a file with `jsonSchema`, for CLIs that need a file. */
  readonly schemaFile?: string;
  /** An unused UUID, for a CLI that takes the id of a new conversation. */
  readonly newSessionId?: string;
  readonly session?: { readonly type: 'continue' | 'fork'; readonly sessionId: string };
  /** The conversation was started with this same request, so it already knows the system prompt. */
  readonly isSameTask?: boolean;
  readonly maxTurns?: number;
  readonly maxBudgetUsd?: number;
  readonly permissions?: 'default' | 'bypass';
  /** Folders that count as part of its working directory. */
  readonly folders?: readonly string[];
  /** It runs in a sandbox, so the CLI's own is off. */
  readonly isSandboxed?: boolean;
  /** Absolute paths of files with `policy` and `mcpConfig`; the latter may be a file of the user. */
  readonly policyFile?: string;
  readonly mcpFile?: string;
  /** A shell command that is asked before each tool call; for agents that can ask (`model/ask-rule.ts`). */
  readonly guard?: string;
}

export interface AgentCall {
  readonly argv: readonly string[];
  readonly stdin: string;
  readonly env: { readonly [name: string]: string };
  /** The id of the conversation it starts, if that was chosen for it. */
  readonly sessionId?: string;
}

/** Reads the lines of one conversation; it may keep state between lines. */
export interface EventReader {
  read(line: JsonObject): readonly AgentEvent[];
  /**
   * Recognises a large tool result from a few bytes, without parsing the rest; `undefined` if the line is something else or not
   * certain. `bytes` is one complete line.
   */
  skim(bytes: Buffer): AgentEvent | undefined;
}

export type ExitMeaning =
  | { readonly type: 'auth' | 'invalid-input' | 'max-turns' | 'denied' | 'over-budget' }
  | { readonly type: 'api-status'; readonly status: number };

/** The longest argument Linux accepts, without its terminating zero byte. */
export const LONGEST_ARGUMENT = 131_071;

export function fitsArgument(text: string): boolean {
  return Buffer.byteLength(text) <= LONGEST_ARGUMENT;
}

/** For CLIs without an option for a system prompt: puts it before the prompt. */
export function withSystemPrompt(request: AgentRequest): string {
  return request.systemPrompt === undefined || request.isSameTask === true
    ? request.prompt
    : `${request.systemPrompt}\n\n---\n\n${request.prompt}`;
}

/** For CLIs without an option for a schema: asks for it in the prompt. The answer is checked in any case. */
export function withSchemaInWords(prompt: string, schema: JsonObject | undefined): string {
  if (schema === undefined) return prompt;
  return `${prompt}\n\n---\n\nGive your final answer as one JSON value and nothing else: no prose, no code fence. It must match this JSON Schema:\n\n${JSON.stringify(schema, null, 2)}\n`;
}
