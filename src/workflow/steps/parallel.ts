import { defined } from '../../model/defined.ts';
import { stepKey } from '../../model/ids.ts';
import { type StepCall, type StepEnd, wholeKey } from '../block.ts';
import { asContainer } from '../container.ts';
import type { ParallelStep, StepCommon } from '../definition.ts';
import { collectorFor } from '../results.ts';
import { onwardAfter, runBranches } from './branch.ts';
import { unmergedFields } from './isolated.ts';
import { joined, noteWinner } from './join.ts';

/** Runs branches in parallel; `join` decides when it is done. Later steps can see the results of the steps inside. */
export function runParallel(call: StepCall<StepCommon & ParallelStep>): Promise<StepEnd> {
  const { block, step, key } = call;
  const names = step.branches.map(({ name }) => name);
  return asContainer(call, { type: 'container', kind: 'parallel', branches: names }, async () => {
    const branches = step.branches.map((branch) => ({
      key: stepKey(key, branch.name),
      wholePath: stepKey(wholeKey(block, key), branch.name),
      steps: branch.steps,
      ...defined({ isolation: step.isolate }),
    }));
    const results = collectorFor(call);
    let winner: string | undefined;
    const ends = await runBranches(block, branches, {
      slots: step.maxParallel,
      mergesAtOnce: step.join === 'any',
      onEnd: (ended, index) => {
        const name = names[index] ?? '';
        const isFailed = ended.end.type === 'failed';
        results?.add(name, { status: isFailed ? 'failed' : 'completed', last: ended.end.last });
        const onward = onwardAfter(ended);
        if (step.join !== 'any' || isFailed || onward !== 'continue') return onward;
        winner = name;
        return 'stop-others';
      },
      onStop: (index) => results?.add(names[index] ?? '', { status: 'cancelled' }),
    });
    if (winner !== undefined) await noteWinner(call, winner);
    const failed = ends.flatMap((ended, index) =>
      ended?.end.type === 'failed' ? [{ ...ended.end, branch: names[index] ?? '' }] : [],
    );
    return {
      ...joined(step.join ?? 'all', { failed, hasWinner: winner !== undefined }),
      ...defined({
        results: results?.byName(names),
        leaving: ends.find((ended) => ended?.end.leaving !== undefined)?.end.leaving,
      }),
      ...unmergedFields(ends.map((ended, index) => ({ ...ended, item: names[index] ?? '' }))),
      inner: new Map(ends.flatMap((ended) => [...(ended?.records ?? [])])),
    };
  });
}
