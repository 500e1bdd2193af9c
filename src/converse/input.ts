/** The input and output of a conversation. Both are plain data, recorded in the journal. */
import type { AgentChoice } from '../effects/contracts.ts';
import type { Failure } from '../model/failure.ts';
import type { StepKey } from '../model/ids.ts';
import type { JsonObject } from '../model/json.ts';
import type { SessionStatus } from './session.ts';

export const CONVERSE_PROGRAM = 'converse';
export const CONVERSE_PROGRAMS = [CONVERSE_PROGRAM] as const;

export interface ConverseInput {
  readonly sessionId: string;
  /** The conversation's workspace, the folder of its files, and the folder the tools work in: relative to the workspace of the run, absolute only outside it. */
  readonly folder: string;
  readonly base: string;
  readonly root: string;
  readonly task: string;
  readonly agent: ConverseAgent;
  readonly maxIterations: number;
  readonly tools: readonly Tool[];
  readonly templates: Templates;
  readonly limits: Limits;
  /** Use the built-in agent; tools that change anything only say what they would do. */
  readonly dryRun?: boolean;
}

export interface ConverseAgent {
  readonly name: string;
  readonly choice: AgentChoice;
  readonly model?: string;
  readonly permissions?: 'default' | 'bypass';
  readonly maxTurns?: number;
  readonly timeoutMs?: number;
  readonly idleTimeoutMs?: number;
}

export interface Tool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: JsonObject;
  readonly does:
    | { readonly type: 'command'; readonly argv: readonly string[] }
    | { readonly type: 'builtin'; readonly name: BuiltinName };
  readonly timeoutMs: number;
  readonly retries: number;
  readonly parallelSafe: boolean;
  readonly approve: Approve;
}

export const BUILTIN_NAMES = ['read_file', 'write_file', 'list_files', 'search', 'run_command'] as const;
export type BuiltinName = (typeof BUILTIN_NAMES)[number];

export const APPROVE = ['always', 'never', 'once'] as const;
export type Approve = (typeof APPROVE)[number];

export interface Templates {
  readonly basePrompt: string;
  /** The template of one result in `{tool_results_section}`. */
  readonly toolResult: string;
}

export interface Limits {
  readonly contextBudgetTokens: number;
  readonly maxConsecutiveErrors: number;
  readonly parallelTools: number;
}

export interface ConverseOutput {
  readonly status: Extract<SessionStatus, 'completed' | 'failed' | 'exhausted'>;
  readonly iterations: number;
  /** The agent's last text. */
  readonly answer?: string;
  readonly failure?: Failure;
  readonly failedStep?: StepKey;
  readonly retryKeys: readonly StepKey[];
  /** The command that continues it, if that is not just a resume. */
  readonly continueWith?: string;
}
