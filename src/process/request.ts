import type { Failure } from '../model/failure.ts';
import type { Sandbox } from './sandbox.ts';

/** One process to run, with everything it may touch. Never a shell. */
export interface ProcessRequest {
  readonly argv: readonly string[];
  /** Absolute. */
  readonly cwd: string;
  /** The complete environment of the child (`childEnvironment` creates it). */
  readonly env: { readonly [name: string]: string };
  /** From `processMark`, for a caller that searches for leftover processes; default: a unique one. */
  readonly mark?: string;
  /** What it may touch; default: everything its user may. */
  readonly sandbox?: Sandbox;
  readonly stdin:
    | { readonly type: 'none' }
    | { readonly type: 'text'; readonly text: string }
    /** With a descriptor that file is used, whatever is at the path now; the caller closes it. */
    | { readonly type: 'file'; readonly path: string; readonly descriptor?: number };
  readonly stdout: OutputRequest;
  readonly stderr: OutputRequest;
  /** Secret values, replaced with `***` in everything that leaves the runner: files, heads, tails, chunks. */
  readonly mask: readonly string[];
  readonly timeoutMs?: number;
  /** The process is stopped after this long without a byte on stdout or stderr. */
  readonly idleTimeoutMs?: number;
  /** Between SIGTERM and SIGKILL; default: 5000. */
  readonly graceMs?: number;
  /** Stops the process and all its descendants; `ProcessEnd.ended` contains the signal's reason. */
  readonly signal: AbortSignal;
  onStart?(pid: number, startTime: string): void;
  /** Receives masked chunks as they arrive. */
  onOutput?(stream: 'stdout' | 'stderr', chunk: Buffer): void;
}

export interface OutputRequest {
  /** Absolute paths that receive the whole stream. A file is created with the first byte, mode 0600 unless it exists. */
  readonly files: readonly string[];
  /** Also receive the whole stream: a user's `output_file`. The caller opens them empty, after checking their location, and closes them. */
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
      /** 128 + signal number if a signal ended it. */
      readonly exitCode: number;
      readonly signal?: string;
      /** Why the runner stopped it, if it did: the first cause. */
      readonly ended?: EndedBecause;
      readonly stdout: CapturedOutput;
      readonly stderr: CapturedOutput;
      /** A file of the request could not be written, so the stream is incomplete. */
      readonly writeFailure?: Failure;
    };

export type EndedBecause =
  | { readonly type: 'timed-out'; readonly afterMs: number }
  | { readonly type: 'idle'; readonly afterMs: number }
  | { readonly type: 'aborted'; readonly reason: unknown };

export interface CapturedOutput {
  readonly bytes: number;
  readonly head: Buffer;
  /** The last bytes; overlaps `head` if the stream is short. */
  readonly tail: Buffer;
}
