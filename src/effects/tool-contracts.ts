import type { WorkOutput } from '../model/record.ts';

/** A tool that an agent requested. Its paths are relative to the workspace, absolute only outside it. */
export interface RunToolInput {
  /** Where commands run; the other tools stay inside it. */
  readonly root: string;
  readonly tool: ToolAction;
  readonly timeoutMs: number;
  /** Folders inside `root` that tools must not write to. */
  readonly keepOut: readonly string[];
  /** Receives the whole output if it is too long to pass on. */
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
  /** The `outputFile`, if it has the whole output. */
  readonly wholeIn?: string;
}
