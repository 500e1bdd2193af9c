/** How the ends of branches, or of the steps of a graph, make up the end of their step. */
import type { Failure } from '../../model/failure.ts';
import type { StepKey } from '../../model/ids.ts';
import { isOverBudget } from '../../steps/budget.ts';
import { note } from '../../steps/notes.ts';
import type { StepCall } from '../block.ts';
import { type ContainerEnd, failureOf } from '../container.ts';
import type { Join } from '../definition.ts';

export interface FailedBranch {
  readonly branch: string;
  readonly failure: Failure;
  readonly retryKeys: readonly StepKey[];
}

/** A budget that is reached fails the step whatever `join` says. */
export function joined(
  join: Join,
  { failed, hasWinner }: { readonly failed: readonly FailedBranch[]; readonly hasWinner: boolean },
): Pick<ContainerEnd, 'failure' | 'retryKeys'> {
  const counts = join === 'all' || (join === 'any' && !hasWinner);
  const causes = counts ? failed : failed.filter(isOverBudget);
  return { ...failureOf(causes), retryKeys: causes.flatMap(({ retryKeys }) => retryKeys) };
}

export async function noteWinner({ block, key }: StepCall, winner: string): Promise<void> {
  const message = `\`${winner}\` succeeded first, and the others were stopped (\`join: any\`)`;
  await note(block, { key, side: 'why' }, { type: 'decision', message });
}
