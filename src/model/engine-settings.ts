/** What `.orchestrate/engine.yaml` sets: where runs that use several machines keep their journal, and where their files travel. */
export interface EngineSettings {
  /** `asked`: only for runs that are started with `--engine`. */
  readonly use: 'asked' | 'always';
  /** The environment variable with the address of the database. */
  readonly databaseEnv: string;
  /** Omitted: the folder of the run, which every worker has at the same place. */
  readonly workspace?: EngineWorkspace;
  readonly labels: { readonly [label: string]: LabelLimits };
  readonly pollMs: number;
  /** A worker that has not reported for so long is dead, and its work is given to others. */
  readonly deadAfterMs: number;
  /** A step that has ended so many workers is not given to another one. */
  readonly maxWorkerDeaths: number;
}

export type EngineWorkspace =
  /** Files travel as commits through one repository. */
  | {
      readonly type: 'git';
      /** The address of a repository that every machine reaches. */
      readonly hub: string;
      /** Runs in a new checkout before the first step, once for each state of the files. */
      readonly setup?: readonly string[];
      /** Patterns of ignored files that travel too. */
      readonly include: readonly string[];
    }
  /** Every worker has the files at this absolute path. */
  | { readonly type: 'folder'; readonly folder: string };

export interface LabelLimits {
  /** Calls at the same time on one worker. */
  readonly perWorker: number;
  /** Calls at the same time on all workers. */
  readonly atOnce?: number;
  /** Calls that may start within a time, on all workers. */
  readonly starts?: { readonly limit: number; readonly perMs: number };
}

/** The label of a step that names none. */
export const DEFAULT_LABEL = 'default';
export const USUAL_PER_WORKER = 4;

/** Labels are names of queues, and appear in commands. */
export const LABEL_PATTERN = /^(?!__proto__$)[a-z0-9][a-z0-9_-]{0,49}$/;
