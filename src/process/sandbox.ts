/**
 * A process that can touch only what it was given, with bubblewrap (Linux).
 *
 * B1  The whole file system is read-only. Writable are its workspace (at `workspace-write`), the state of the agent itself, and a
 *     private, empty `/tmp`.
 * B2  In the workspace, what others trust stays read-only: the records of runs and answers (`.orchestrate`), and git's hooks and
 *     settings; `.git` stays what it is.
 * B3  Folders and files with credentials of other programs are hidden, and so are the sockets of the machine's services (`/run`).
 * B4  With `none`, there is no network, not even the machine's loopback. With `only`, exactly the listed addresses can be reached.
 * B5  It cannot see or signal other processes. When its first process ends, or this program dies, every process in it dies.
 * B6  Without bubblewrap, or where the system refuses it, nothing starts.
 */

import type { Failure } from '../model/failure.ts';
import type { HostPattern } from '../model/host-pattern.ts';
import type { Result } from '../model/result.ts';
import type { SandboxLevel } from '../model/sandbox.ts';
import type { ProcessRequest } from './request.ts';

export interface Sandbox {
  readonly level: SandboxLevel;
  /** The real path of the folder it works on. */
  readonly workspace: string;
  /** A folder with records of the program, if it lies in the workspace: read-only (B2). */
  readonly records: string;
  /** Absolute paths that stay writable at every level. Missing ones are skipped. */
  readonly state: readonly string[];
  readonly network: SandboxNetwork;
}

export type SandboxNetwork =
  | { readonly type: 'none' }
  | { readonly type: 'full' }
  | { readonly type: 'only'; readonly hosts: readonly HostPattern[] };

/** Turns a request into one that runs inside its sandbox. */
export type EnterSandbox = (
  request: Pick<ProcessRequest, 'argv' | 'cwd' | 'env'>,
  sandbox: Sandbox,
) => Promise<Result<EnteredSandbox, Failure>>;

export interface EnteredSandbox {
  readonly argv: readonly string[];
  readonly env: { readonly [name: string]: string };
  /** Call it when the process has ended. */
  leave(): void;
}
