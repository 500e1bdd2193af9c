/** The workers that carry out runs of a workspace, and what their database knows of them. A door that reaches them has one in its `Site`. */
import type { RunId, StepKey } from '../model/ids.ts';
import type { Result } from '../model/result.ts';
import type { RunPaths } from '../store/layout.ts';
import type { Problem } from './problem.ts';

/** Where runs are read. Every view reads the files of `pathsOf`, so that it shows the same wherever the run was carried out. */
export interface RunSource {
  /** Every run, newest first. */
  ids(): readonly RunId[];
  pathsOf(runId: RunId): RunPaths;
  /** A process carries it out, or may do so on another machine. */
  isAlive(runId: RunId): boolean;
}

export interface RunsOfWorkers extends RunSource {
  /** Brings it up to date: for one run, by its id, a prefix of it or `last`; without it, for all. Rejects if the database cannot be reached. */
  refresh(asked?: string): Promise<void>;
  /** Changes whenever the run has changed there; undefined for a run that it does not have. */
  stampOf(runId: RunId): string | undefined;
  /** Whether the database has it. */
  has(runId: RunId): boolean;
}

export interface Workers {
  readonly runs: RunsOfWorkers;
  /** The first answer to a question counts: false for a later one. */
  answer(given: {
    readonly runId: RunId;
    readonly key: StepKey;
    readonly text: string;
  }): Promise<Result<boolean, Problem>>;
  /** `over`: there is nothing to cancel. */
  cancel(runId: RunId): Promise<Result<'asked' | 'over', Problem>>;
  /** Whether it continues now; false if it is already running or has ended. */
  resume(runId: RunId): Promise<Result<boolean, Problem>>;
  list(): Promise<Result<readonly ListedWorker[], Problem>>;
  /** Which workers carry out a run, or did. */
  workersOf(runId: RunId): Promise<Result<RunPlaces, Problem>>;
  health(deadAfterMs: number): Promise<Result<WorkersHealth, Problem>>;
  /** Removes everything that the database and the hub have of it. */
  remove(runId: RunId): Promise<Result<RunRemoval, Problem>>;
  close(): Promise<void>;
}

/** `in-use`: it is queued, or a worker has it. */
export type RunRemoval = 'removed' | 'in-use';

export interface WorkersHealth {
  readonly serverVersion: string;
  readonly alive: readonly ListedWorker[];
  /** They have not reported for too long, and nobody has given them up yet. */
  readonly stale: readonly ListedWorker[];
  readonly stuck: readonly StuckRun[];
}

interface Stuck {
  readonly runId: string;
  readonly version: string;
  /** Living workers would do but for how they get files. */
  readonly missing?: 'folder' | 'hub';
}

/** No living worker can take it. */
export type StuckRun =
  | (Stuck & { readonly type: 'no-host' })
  | (Stuck & { readonly type: 'no-label'; readonly label: string; readonly steps: readonly string[] });

/** A worker that lives, as `orchestrate workers --json` prints it. */
export interface ListedWorker {
  readonly name: string;
  readonly executor: string;
  readonly machine: string;
  readonly pid: number;
  readonly version: string;
  readonly labels: readonly string[];
  readonly takes_runs: boolean;
  readonly started_at: string;
  readonly last_beat_at: string;
  /** By the clock of the database. */
  readonly beat_age_ms: number;
  /** Ids of the runs it hosts, and of the calls it carries out. */
  readonly runs: readonly string[];
  readonly calls: readonly string[];
}

export interface RunPlaces {
  /** The worker that hosts it, or hosted it last. */
  readonly host?: string;
  /** By the keys of steps. */
  readonly steps: { readonly [key: string]: string };
}
