import { defined } from '../../model/defined.ts';
import { stepKey } from '../../model/ids.ts';
import { type StepCall, type StepEnd, wholeKey } from '../block.ts';
import { asContainer, failureOf } from '../container.ts';
import type { ParallelStep, StepCommon } from '../definition.ts';
import { collectorFor } from '../results.ts';
import { runBranches } from './branch.ts';

/**
 * Runs branches in parallel. If one fails, the others finish; then the step fails with all causes. Later steps can see the results of
 * the steps inside.
 */
export function runParallel(call: StepCall<StepCommon & ParallelStep>): Promise<StepEnd> {
  const { block, step, key } = call;
  const names = step.branches.map(({ name }) => name);
  return asContainer(call, { type: 'container', kind: 'parallel', branches: names }, async () => {
    const branches = step.branches.map((branch) => ({
      key: stepKey(key, branch.name),
      wholePath: stepKey(wholeKey(block, key), branch.name),
      steps: branch.steps,
    }));
    const results = collectorFor(call);
    const ends = await runBranches(block, branches, {
      slots: step.maxParallel,
      continues: ({ end }, index) => {
        const status = end.type === 'failed' ? 'failed' : 'completed';
        results?.add(names[index] ?? '', { status, last: end.last });
        return true;
      },
    });
    const causes = ends.flatMap((ended, index) =>
      ended?.end.type === 'failed'
        ? [{ branch: step.branches[index]?.name ?? '', failure: ended.end.failure }]
        : [],
    );
    return {
      ...failureOf(causes),
      retryKeys: ends.flatMap((ended) => (ended?.end.type === 'failed' ? ended.end.retryKeys : [])),
      ...defined({ results: results?.byName(names) }),
      inner: new Map(ends.flatMap((ended) => [...(ended?.records ?? [])])),
    };
  });
}
