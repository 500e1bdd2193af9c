import type { Result } from '../../model/result.ts';
import { unreachable } from '../../model/unreachable.ts';
import type { Problem } from '../../operations/problem.ts';
import type { RunHold } from '../../operations/run-hold.ts';
import type { RunPlan } from '../../operations/run-plan.ts';
import type { Hold, HoldFor } from '../hold.ts';

export async function takeHold(plan: RunPlan, hold: RunHold, by: HoldFor): Promise<Result<Hold, Problem>> {
  switch (hold.type) {
    case 'conversation':
      return (await import('./hold-conversation.ts')).holdConversation(plan, hold, by);
    case 'loop':
      return (await import('../loops/hold-loop.ts')).holdLoop(plan, hold, by);
    default:
      return unreachable(hold);
  }
}
