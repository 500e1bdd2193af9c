import type { Failure } from '../model/failure.ts';

/** One process to run, with everything it may touch spelled out. No shell, ever. */
export interface ProcessRequest {
  readonly argv: readonly string[];
  /** Absolute. */
  readonly cwd: string;
  /** The whole environment of the child (`childEnvironment` makes it). */
  readonly env: { readonly [name: string]: string };
  /** Made by `processMark`, for a caller that looks for what was left running; one that nobody else knows where absent. */
  readonly mark?: string;
  readonly stdin:
    | { readonly type: 'none' }
    | { readonly type: 'text'; readonly text: string }
    /** With a descriptor that file, whatever is found under the path by now; closed by the caller. */
    | { readonly type: 'file'; readonly path: string; readonly descriptor?: number };
  readonly stdout: OutputRequest;
  readonly stderr: OutputRequest;
  /** Secret values, replaced by `***` in everything that leaves the runner: files, heads, tails, chunks. */
  readonly mask: readonly string[];
  readonly timeoutMs?: number;
  /** Ended after this long without a byte on stdout or stderr. */
  readonly idleTimeoutMs?: number;
  /** Between SIGTERM and SIGKILL; 5000 where absent. */
  readonly graceMs?: number;
  /** Ends the process and all its descendants; `ProcessEnd.ended` tells the signal's reason. */
  readonly signal: AbortSignal;
  onStart?(pid: number, startTime: string): void;
  /** Masked chunks as they come. */
  onOutput?(stream: 'stdout' | 'stderr', chunk: Buffer): void;
}

export interface OutputRequest {
  /** Absolute paths that get the whole stream. A file is made with the first byte, mode 0600 unless it exists. */
  readonly files: readonly string[];
  /** Get the whole stream too: a user's `output_file`. Opened empty by the caller, who has checked where they lie and closes them. */
  readonly opened?: readonly OpenFile[];
  /** Bytes kept in memory from the start and from the end. */
  readonly headBytes: number;
  readonly tailBytes: number;
}

export interface OpenFile {
  readonly path: string;
  readonly descriptor: number;
}

export type ProcessEnd =
  | { readonly type: 'not-started'; readonly failure: Failure }
  | {
      readonly type: 'exited';
      /** 128 + signal number where a signal ended it. */
      readonly exitCode: number;
      readonly signal?: string;
      /** Why the runner ended it, where it did: the first cause. */
      readonly ended?: EndedBecause;
      readonly stdout: CapturedOutput;
      readonly stderr: CapturedOutput;
      /** A file of the request could not be written: the stream is not whole. */
      readonly writeFailure?: Failure;
    };

export type EndedBecause =
  | { readonly type: 'timed-out'; readonly afterMs: number }
  | { readonly type: 'idle'; readonly afterMs: number }
  | { readonly type: 'aborted'; readonly reason: unknown };

export interface CapturedOutput {
  readonly bytes: number;
  readonly head: Buffer;
  /** The last bytes; overlaps `head` where the stream is short. */
  readonly tail: Buffer;
}
