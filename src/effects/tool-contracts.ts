import type { WorkOutput } from '../model/record.ts';

/** A tool that an agent requested. */
export interface RunToolInput {
  /** Absolute: where commands run; the other tools stay inside it. */
  readonly root: string;
  readonly tool: ToolAction;
  readonly timeoutMs: number;
  /** Absolute folders inside `root` that tools must not write to. */
  readonly keepOut: readonly string[];
  /** Absolute: receives the whole output if it is too long to pass on. */
  readonly outputFile: string;
}

export type ToolAction =
  | { readonly type: 'command'; readonly argv: readonly string[] }
  /** `offset` and `limit` in bytes. */
  | {
      readonly type: 'read-file';
      readonly path: string;
      readonly offset?: number;
      readonly limit?: number;
    }
  | { readonly type: 'write-file'; readonly path: string; readonly content: string }
  | { readonly type: 'list-files'; readonly glob: string }
  /** `pattern` is a regular expression, tested on every line. */
  | { readonly type: 'search'; readonly pattern: string; readonly glob: string };

export interface RunToolOutput extends WorkOutput {
  /** The text for the agent: at most 64 KiB, with the place of the rest if there is more. */
  readonly text: string;
  /** Absolute path of the whole output. */
  readonly wholeIn?: string;
}
