import type { AgentEvent } from './agent.ts';
import type { Failure } from './failure.ts';
import type { Field } from './field.ts';
import type { RunId, StepKey } from './ids.ts';
import type { JsonObject, JsonValue } from './json.ts';
import type { Spent } from './record.ts';

/** `running` while a process owns it; the others are end states, of which all but `completed` and `cancelled` can be resumed. */
export type RunStatus = 'running' | 'waiting' | 'completed' | 'failed' | 'cancelled' | 'interrupted';

/**
 * The one event stream. A `JournalEvent` is a line of `journal.jsonl`; a `LiveEvent` is only shown. Every view — state.json, terminal,
 * report, dashboard — is a function of these.
 */
export type RunEvent = JournalEvent | LiveEvent;

export type JournalEvent =
  | (Timed & {
      readonly type: 'run-started';
      readonly runId: RunId;
      /** `workflow`, `iterate`, `session`, `converse`, `phases`. */
      readonly kind: string;
      readonly title: string;
      readonly program: string;
      readonly input: JsonValue;
      readonly workspace: string;
      /** Program-specific fields of state.json: `workflow_file`, `context`, … */
      readonly facts: JsonObject;
      /** Identifies the user who started it. */
      readonly seal?: string;
    })
  | (Timed & {
      readonly type: 'run-resumed';
      /** The dead owner whose lock was taken over, if any. */
      readonly tookOver?: { readonly pid: number; readonly host: string };
      /** Processes of the dead owner that were found and stopped. */
      readonly endedProcesses?: readonly number[];
      /** Bytes of a torn tail that were removed from the journal. */
      readonly cutBytes?: number;
      /** Steps that workers still run: their results are waited for. */
      readonly attached?: readonly StepKey[];
      /** Calls to repeat besides those whose failure ended the run. */
      readonly again?: readonly StepKey[];
      /** Replaces the run's input: an accepted change of the workflow. */
      readonly input?: JsonValue;
      readonly facts?: JsonObject;
      /** The seal of that input. */
      readonly seal?: string;
    })
  | (Timed & {
      readonly type: 'step-started';
      readonly key: StepKey;
      readonly effect: string;
      readonly attempt: number;
      readonly input: JsonValue;
      /** The folder it saw as the workspace, relative to the run's folder. */
      readonly folder?: string;
      /** It was running when an earlier owner died: it runs again, or a worker is still running it and its result is waited for. */
      readonly again?: 'repeated' | 'attached';
      /** In older journals, for `again: 'repeated'`. */
      readonly repeated?: boolean;
    })
  | (Timed & {
      readonly type: 'process-started';
      readonly key: StepKey;
      readonly pid: number;
      /** The kernel's start time, so that a reused pid is not mistaken for this process. */
      readonly startTime: string;
    })
  | (Timed & {
      readonly type: 'attempt-ended';
      readonly key: StepKey;
      readonly attempt: number;
      readonly failure: Failure;
      /** False for a usage limit: the attempt is repeated, not used up. */
      readonly counted: boolean;
      readonly nextAt: string;
      readonly spent?: Spent;
    })
  /** The attempt ended with questions, asked at `<key>/<name>`. The next attempt continues with their answers. */
  | (Timed & {
      readonly type: 'attempt-asked';
      readonly key: StepKey;
      readonly attempt: number;
      readonly questions: { readonly [name: string]: Question };
      /** What the effect needs to continue. */
      readonly memo: JsonValue;
      readonly spent?: Spent;
    })
  | (Timed & {
      readonly type: 'step-ended';
      readonly key: StepKey;
      readonly effect: string;
      readonly attempts: number;
      readonly startedAt: string;
      readonly durationMs: number;
      readonly output: JsonValue;
      /** A digest of what it was asked for, if the program has that compared in a replay. */
      readonly digest?: string;
      /** The cost of the attempts before this one: of failed ones, each also in its `attempt-ended`, and of interrupted ones, which is unknown. */
      readonly spentBefore?: readonly Spent[];
      /** A stop was requested while it waited for its next attempt. */
      readonly stopped?: boolean;
      /** It succeeded, and what the step expects of it is checked next (`check-proof`). */
      readonly toCheck?: boolean;
    })
  | (Timed & { readonly type: 'sleep-started'; readonly key: StepKey; readonly until: string })
  | (Timed & { readonly type: 'sleep-ended'; readonly key: StepKey })
  | (Timed & {
      readonly type: 'question-asked';
      readonly key: StepKey;
      readonly question: Question;
      /** As of `step-ended`. */
      readonly digest?: string;
    })
  | (Timed & { readonly type: 'question-answered'; readonly key: StepKey; readonly answer: Answer })
  | (Timed & {
      readonly type: 'time-read';
      readonly key: StepKey;
      /** How long the run had worked by then (`RunClock`). */
      readonly workedMs?: number;
    })
  /** A pool returned the branch to the program, which decided from it what to start next. */
  | (Timed & { readonly type: 'branch-ended'; readonly key: StepKey })
  /** The program stopped the branch before it ended: whatever is open in it is cancelled. */
  | (Timed & { readonly type: 'branch-stopped'; readonly key: StepKey })
  | (Timed & {
      readonly type: 'run-ended';
      readonly status: Exclude<RunStatus, 'running'>;
      readonly output?: JsonValue;
      readonly failure?: Failure;
      readonly signal?: string;
    });

/** Shown while it happens, saved only in the logs. */
export type LiveEvent = Timed & {
  readonly type: 'progress';
  readonly key: StepKey;
  readonly progress: Progress;
};

export type Progress =
  | { readonly type: 'output'; readonly stream: 'stdout' | 'stderr'; readonly text: string }
  | { readonly type: 'agent'; readonly event: AgentEvent }
  | { readonly type: 'message'; readonly text: string };

interface Timed {
  /** ISO 8601, UTC. */
  readonly at: string;
  /** Recorded by the clean-up of a run that was stopped: a resumed run forgets it, and cleans up again at its own end. */
  readonly atStop?: boolean;
}

export interface Question {
  readonly message: string;
  readonly choices: readonly string[];
  /** ISO 8601; after it `default` is chosen, or the question expires without a choice. */
  readonly expiresAt?: string;
  readonly default?: string;
  /** A patch about which it asks, relative to the run's folder. */
  readonly diff?: string;
  /** What it asks about, in several lines. */
  readonly detail?: string;
  /** Further values that are asked for; with them, `choices` may be empty. */
  readonly fields?: readonly Field[];
}

export type Answer =
  | {
      readonly type: 'chosen';
      /** Omitted if the question offers no choices. */
      readonly choice?: string;
      /** The values of its fields, typed. */
      readonly values?: JsonObject;
      readonly comment?: string;
      readonly by?: string;
    }
  /** With the defaults, if they answer the question. */
  | { readonly type: 'expired'; readonly choice?: string; readonly values?: JsonObject };
