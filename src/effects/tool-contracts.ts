import type { WorkOutput } from '../model/record.ts';

/** A tool that an agent asked for. */
export interface RunToolInput {
  /** Absolute: where commands run, and what the others stay inside. */
  readonly root: string;
  readonly tool: ToolAction;
  readonly timeoutMs: number;
  /** Absolute folders inside `root` that are not written to. */
  readonly keepOut: readonly string[];
  /** Absolute: gets the whole of an output that is too long to be handed on. */
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
  /** `pattern` is a regular expression, tried on every line. */
  | { readonly type: 'search'; readonly pattern: string; readonly glob: string };

export interface RunToolOutput extends WorkOutput {
  /** What the agent is told: at most 64 KiB, with the place of the rest where there is more. */
  readonly text: string;
  /** Absolute: where all of it is. */
  readonly wholeIn?: string;
}
