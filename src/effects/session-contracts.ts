/** The effects that work with the tasks of a session. */
import type { JsonObject } from '../model/json.ts';
import type { EffectOutput } from '../model/record.ts';

/** Updates everything derived from the tasks of a session: containers, progress, Markdown. */
export interface RefreshSessionInput {
  readonly session: string;
}

/** A look at the tasks of a session, while it is executed. */
export interface ReadTasksInput {
  readonly session: string;
}

export interface ReadTasksOutput extends EffectOutput {
  /** All tasks; otherwise those that differ from the last look. */
  readonly isWhole: boolean;
  readonly tasks: readonly StandingTask[];
  /** Ids of tasks that no longer exist. */
  readonly gone: readonly string[];
  /** The user has paused this execution. */
  readonly isPaused: boolean;
  /** The user wants all tasks executed, not only those that were named. */
  readonly isWidened?: boolean;
  /** Only these of the others. */
  readonly widenedTo?: readonly string[];
  /** Changes if another process changes something. */
  readonly digest: string;
}

export interface StandingTask {
  readonly id: string;
  readonly title: string;
  readonly status: string;
  readonly dependsOn: readonly string[];
  readonly paths: readonly string[];
  /** The run that last worked on it. */
  readonly runId?: string;
  /** Identifies its commands; empty if it has none. */
  readonly claims: string;
  /** The user has agreed to them. */
  readonly isTrusted: boolean;
}

/** Ends when the digest of a look is no longer up to date. */
export interface WatchTasksInput {
  readonly session: string;
  readonly digest: string;
}

/** New tasks of a session, all or none, and the fields of the session's own document that go with them. */
export interface AddTasksInput {
  readonly session: string;
  readonly tasks: readonly JsonObject[];
  readonly about: JsonObject;
  /** What the run has spent on the plan, as members of a document. */
  readonly figures?: JsonObject;
}
