/** What a run locks besides itself: acquired before the run starts, released after its end is recorded. */
import type { RunEnd } from '../engine/local-run.ts';
import type { RunEvent } from '../model/event.ts';
import type { RunPlan } from '../operations/run-plan.ts';
import type { Site } from '../operations/site.ts';

export interface Hold {
  /** The plan, completed with what could only be decided now. */
  readonly plan: RunPlan;
  readonly taken?: TakenHold;
  /** More values that must not be written to any file of the run, although they are in no environment variable. */
  readonly secrets?: readonly string[];
  /** The address that it notifies by itself. */
  readonly notifies?: string | undefined;
  /** A dry run: no news. */
  readonly isTrial?: boolean;
  event?(event: RunEvent): void;
  /** Records the end of the run in what is held. */
  ended?(end: RunEnd): Promise<void>;
  /** Called however the run ended. */
  release(): void | Promise<void>;
}

/** Who acquires it. */
export interface HoldFor {
  readonly site: Site;
  /** Reports a problem that does not stop the run, as a sentence. */
  onProblem(problem: string): void;
}

/** What was acquired, to show it. */
export interface TakenHold {
  readonly type: 'conversation';
  readonly sessionId: string;
  /** Absolute paths of the workspace of the conversation and of its files. */
  readonly folder: string;
  readonly base: string;
  /** The conversation that already uses the workspace's own folders, if the new one does not. */
  readonly first?: string;
}
