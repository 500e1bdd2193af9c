/** What a run holds besides its own lock: taken before the run begins, given back after its end is recorded. */
import type { RunEnd } from '../engine/local-run.ts';
import type { Result } from '../model/result.ts';
import { unreachable } from '../model/unreachable.ts';
import type { Refused } from '../operations/problem.ts';
import type { RunHold } from '../operations/run-hold.ts';
import type { RunPlan } from '../operations/run-plan.ts';

export interface Hold {
  /** What could be decided only now is in it. */
  readonly plan: RunPlan;
  readonly taken: TakenHold;
  /** Records the end where it is held. */
  ended(end: RunEnd): Promise<void>;
  release(): void;
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

export async function takeHold(plan: RunPlan, hold: RunHold): Promise<Result<Hold, Refused>> {
  switch (hold.type) {
    case 'conversation':
      return (await import('./hold-conversation.ts')).holdConversation(plan, hold);
    default:
      return unreachable(hold.type);
  }
}
