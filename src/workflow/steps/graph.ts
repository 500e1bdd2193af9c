/** Runs each step of a graph as soon as the steps it needs are done. */
import type { OrchestrateDurable } from '../../effects/contracts.ts';
import { defined } from '../../model/defined.ts';
import { type StepKey, stepKey } from '../../model/ids.ts';
import type { StepRecord, Unmerged } from '../../model/record.ts';
import { isOverBudget } from '../../steps/budget.ts';
import { skipped } from '../../steps/notes.ts';
import {
  type Block,
  keyIn,
  type Leaving,
  layered,
  type StepCall,
  type StepEnd,
  visibleRecords,
  wholeKey,
} from '../block.ts';
import { asContainer, type ContainerEnd } from '../container.ts';
import type { GraphNode, GraphStep, StepCommon } from '../definition.ts';
import { GraphPlan, type Unreachable } from '../graph-plan.ts';
import { collectorFor } from '../results.ts';
import {
  type Branch,
  type BranchEnd,
  dropBranch,
  endBranch,
  onwardAfter,
  runBranch,
  stopAll,
} from './branch.ts';
import { unmergedFields } from './isolated.ts';
import { type FailedBranch, joined, noteWinner } from './join.ts';
import { Openings } from './openings.ts';

type GraphCall = StepCall<StepCommon & GraphStep>;

/**
 * If a step fails, those that need it are skipped, the others finish, and then the graph fails with all causes. A step skipped because of
 * its own `when` counts as done. With `join: any`, the first success of a step that no other needs decides. Later steps can see the
 * results of the steps inside.
 */
export function runGraph(call: GraphCall): Promise<StepEnd> {
  const { nodes } = call.step;
  const begun = {
    type: 'container',
    kind: 'graph',
    branches: nodes.map(({ step }) => step.name),
    needs: Object.fromEntries(
      nodes.filter(({ needs }) => needs.length > 0).map(({ step, needs }) => [step.name, needs]),
    ),
  } as const;
  return asContainer(call, begun, () => runNodes(call));
}

async function runNodes(call: GraphCall): Promise<ContainerEnd> {
  const { block, step, key } = call;
  const plan = new GraphPlan(step.nodes);
  const results = collectorFor(call);
  const nodes = new Map(step.nodes.map((node) => [stepKey(key, node.step.name), node]));
  // The loader has checked that a step reads only what it needs, which is done before it starts.
  const records = new Map<string, StepRecord>();
  const outer = layered(records, visibleRecords(block));
  const openings = new Openings();
  const failed: FailedBranch[] = [];
  const unmerged: { readonly unmerged?: Unmerged; readonly item: string }[] = [];
  let winner: string | undefined;
  let leaving: Leaving | undefined;
  const skipAll = async (unreachable: readonly Unreachable[]): Promise<readonly StepKey[]> => {
    const again: StepKey[] = [];
    for (const each of unreachable) {
      const { record, retryKeys } = await skip(call, each);
      records.set(each.node.step.name, record);
      again.push(...retryKeys);
    }
    return again;
  };
  await block.durable.pool<BranchEnd, void>(step.maxParallel, async (pool) => {
    for (let isOpen = true; ; ) {
      while (isOpen && pool.free > 0) {
        const node = plan.take();
        if (node === undefined) break;
        const branch = branchOf(call, node);
        const body = (durable: OrchestrateDurable) => runBranch(block, branch, { durable, outer, openings });
        pool.start({ key: branch.key, body });
      }
      const ended = await pool.next();
      if (ended === undefined) return;
      const node = nodes.get(ended.key);
      const name = node?.step.name ?? '';
      const output =
        node === undefined
          ? ended.output
          : await endBranch(block, branchOf(call, node), { ended: ended.output, openings });
      const { end, records: own } = output;
      unmerged.push({ ...defined({ unmerged: output.unmerged }), item: name });
      for (const [inner, record] of own) records.set(inner, record);
      const status = statusOf(output, name);
      results?.add(name, { status, last: end.last });
      leaving ??= end.leaving;
      if (end.type === 'ended') {
        if (step.join === 'any' && status === 'completed' && plan.isLast(name)) winner ??= name;
        plan.done(name);
      } else {
        const again = await skipAll(plan.failed(name));
        failed.push({ branch: name, failure: end.failure, retryKeys: [...end.retryKeys, ...again] });
      }
      const onward = onwardAfter(output);
      if (onward !== 'continue' || winner !== undefined || (end.type === 'failed' && isOverBudget(end)))
        isOpen = false;
      if (onward === 'stop-others' || winner !== undefined) {
        for (const stopped of await stopAll(pool)) {
          const other = nodes.get(stopped);
          await dropBranch(block, other && branchOf(call, other));
          results?.add(other?.step.name ?? '', { status: 'cancelled' });
        }
      }
    }
  });
  if (winner !== undefined) {
    await skipAll(plan.rest().map((node) => ({ node, reason: `\`${winner}\` succeeded first` })));
    await noteWinner(call, winner);
  }
  return {
    ...joined(step.join ?? 'all', { failed, hasWinner: winner !== undefined }),
    ...unmergedFields(unmerged),
    inner: records,
    ...defined({ leaving, results: results?.byName(step.nodes.map((node) => node.step.name)) }),
  };
}

function branchOf({ block, key, step: graph }: GraphCall, { step }: GraphNode): Branch {
  return {
    key: stepKey(key, step.name),
    wholePath: stepKey(wholeKey(block, key), step.name),
    steps: [step],
    ...defined({ isolation: graph.isolate }),
  };
}

function statusOf({ end, records }: BranchEnd, name: string): 'completed' | 'failed' | 'skipped' {
  if (end.type === 'failed') return 'failed';
  return records.get(name)?.status === 'skipped' ? 'skipped' : 'completed';
}

/** A resumed run tries it again. */
async function skip(call: GraphCall, { node, reason }: Unreachable): Promise<StepEnd> {
  const { key: path, wholePath } = branchOf(call, node);
  const block: Block = { ...call.block, path, wholePath };
  const key = keyIn(block, node.step.name, 1);
  const { record } = await skipped({ block, key }, `skipped: ${reason}`);
  return { record, retryKeys: [wholeKey(block, key)] };
}
