/** Runs each step of a graph as soon as the steps it needs are done. */
import { defined } from '../../model/defined.ts';
import type { Failure } from '../../model/failure.ts';
import { type StepKey, stepKey } from '../../model/ids.ts';
import type { StepRecord } from '../../model/record.ts';
import {
  type Block,
  keyIn,
  layered,
  type StepCall,
  type StepEnd,
  visibleRecords,
  wholeKey,
} from '../block.ts';
import { isOverBudget } from '../budget.ts';
import { asContainer, type ContainerEnd, failureOf } from '../container.ts';
import type { GraphNode, GraphStep, StepCommon } from '../definition.ts';
import { GraphPlan, type Unreachable } from '../graph-plan.ts';
import { skipped } from '../notes.ts';
import { collectorFor } from '../results.ts';
import { type BranchEnd, runBranch } from './branch.ts';

type GraphCall = StepCall<StepCommon & GraphStep>;

/**
 * If a step fails, those that need it are skipped, the others finish, and then the graph fails with all causes. A step skipped because of
 * its own `when` counts as done. Later steps can see the results of the steps inside.
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
  const causes: { readonly branch: string; readonly failure: Failure }[] = [];
  let isOpen = true;
  const retryKeys: StepKey[] = [];
  await block.durable.pool<BranchEnd, void>(step.maxParallel, async (pool) => {
    for (;;) {
      while (isOpen && pool.free > 0) {
        const node = plan.take();
        if (node === undefined) break;
        const branch = branchOf(call, node);
        pool.start({ key: branch.key, body: (durable) => runBranch(block, branch, { durable, outer }) });
      }
      const ended = await pool.next();
      if (ended === undefined) return;
      const { end, records: own } = ended.output;
      const name = nodes.get(ended.key)?.step.name ?? '';
      for (const [inner, record] of own) records.set(inner, record);
      results?.add(name, { status: statusOf(ended.output, name), last: end.last });
      if (end.type === 'ended') {
        plan.done(name);
        continue;
      }
      causes.push({ branch: name, failure: end.failure });
      if (isOverBudget(end)) isOpen = false;
      retryKeys.push(...end.retryKeys);
      for (const unreachable of plan.failed(name)) {
        const { record, retryKeys: again } = await skip(call, unreachable);
        records.set(unreachable.node.step.name, record);
        retryKeys.push(...again);
      }
    }
  });
  return {
    ...failureOf(causes),
    retryKeys,
    inner: records,
    ...defined({ results: results?.byName(step.nodes.map((node) => node.step.name)) }),
  };
}

function branchOf({ block, key }: GraphCall, { step }: GraphNode) {
  return {
    key: stepKey(key, step.name),
    wholePath: stepKey(wholeKey(block, key), step.name),
    steps: [step],
  };
}

function statusOf({ end, records }: BranchEnd, name: string): 'completed' | 'failed' | 'skipped' {
  if (end.type === 'failed') return 'failed';
  return records.get(name)?.status === 'skipped' ? 'skipped' : 'completed';
}

/** A resumed run tries it again. */
async function skip(call: GraphCall, { node, need, isFailed }: Unreachable): Promise<StepEnd> {
  const { key: path, wholePath } = branchOf(call, node);
  const block: Block = { ...call.block, path, wholePath };
  const key = keyIn(block, node.step.name, 1);
  const reason = `skipped: it needs \`${need}\`, which ${isFailed ? 'failed' : 'was skipped'}`;
  const { record } = await skipped({ block, step: node.step, key }, reason);
  return { record, retryKeys: [wholeKey(block, key)] };
}
