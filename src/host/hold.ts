/** What a run holds besides its own lock: taken before the run begins, given back after its end is recorded. */
import type { RunEnd } from '../engine/local-run.ts';
import type { RunEvent } from '../model/event.ts';
import type { RunPlan } from '../operations/run-plan.ts';
import type { Site } from '../operations/site.ts';

export interface Hold {
  /** What could be decided only now is in it. */
  readonly plan: RunPlan;
  readonly taken?: TakenHold;
  /** Values that stand in no variable and are kept out of every file of the run all the same. */
  readonly secrets?: readonly string[];
  event?(event: RunEvent): void;
  /** Records the end where it is held. */
  ended?(end: RunEnd): Promise<void>;
  /** Whatever came of the run. */
  release(): void | Promise<void>;
}

/** For whom it is taken. */
export interface HoldFor {
  readonly site: Site;
  /** What does not stop the run, in a sentence. */
  onProblem(problem: string): void;
}

/** What was taken, for whoever watches. */
export interface TakenHold {
  readonly type: 'conversation';
  readonly sessionId: string;
  /** Absolute: the workspace of the conversation, and where its files are. */
  readonly folder: string;
  readonly base: string;
  /** The conversation that has the workspace's own folders, where a new one has not. */
  readonly first?: string;
}
