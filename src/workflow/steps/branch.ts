import type { EffectMap, OrchestrateDurable } from '../../effects/contracts.ts';
import type { Pool } from '../../engine/durable.ts';
import { defined } from '../../model/defined.ts';
import type { StepKey } from '../../model/ids.ts';
import type { StepRecord } from '../../model/record.ts';
import { type Block, innerBlock, type LoopVariables, visibleRecords, withoutLast } from '../block.ts';
import type { Isolation, Step, WorkflowDefinition } from '../definition.ts';
import { endItem, type ItemMoves } from '../end-item.ts';
import { dropList, type IsolatedEnd, mergeList, runIsolatedList } from './isolated.ts';
import { Openings } from './openings.ts';
import { runSteps } from './run-steps.ts';

export interface Branch {
  /** Full key within the block's own `durable`. */
  readonly key: StepKey;
  readonly wholePath: string;
  readonly steps: readonly Step[];
  readonly loop?: LoopVariables;
  /** Default: that of the block around it. */
  readonly definition?: WorkflowDefinition;
  /** The branch is an item of a loop. */
  readonly moves?: ItemMoves;
  readonly isolation?: Isolation;
}

export interface BranchEnd extends IsolatedEnd {
  readonly records: ReadonlyMap<string, StepRecord>;
}

/** How each branch ended, in order; `undefined` if it was not started. */
export type BranchEnds = readonly (BranchEnd | undefined)[];

/** What happens to the other branches after one has ended. */
export type Onward =
  | 'continue'
  /** Running ones finish. */
  | 'start-nothing'
  | 'stop-others';

export interface BranchRules {
  readonly slots: number;
  /** Isolated branches are merged as soon as they end, not in their order. */
  readonly mergesAtOnce?: boolean;
  /** Called at every end, in order. */
  onEnd(ended: BranchEnd, index: number): Onward;
  onStop?(index: number): void;
}

/** Runs lists of steps in parallel, each started as soon as a slot is free. */
export async function runBranches(
  block: Block,
  branches: readonly Branch[],
  rules: BranchRules,
): Promise<BranchEnds> {
  const outer = visibleRecords(block);
  const openings = new Openings();
  const ends = new Map<StepKey, BranchEnd>();
  /** Isolated branches that wait for those before them. */
  const unmerged = new Map<number, BranchEnd>();
  const indexes = new Map(branches.map(({ key }, index) => [key, index]));
  await block.durable.pool<BranchEnd, void>(rules.slots, async (pool) => {
    const waiting = branches.values();
    let isOpen = true;
    let due = 0;
    const end = async (index: number, ended: BranchEnd): Promise<void> => {
      const branch = branches[index];
      if (branch === undefined) return;
      const output = await endBranch(block, branch, { ended, openings });
      const onward = rules.onEnd(output, index);
      ends.set(branch.key, { ...output, end: withoutLast(output.end) });
      if (onward !== 'continue') isOpen = false;
      if (onward !== 'stop-others') return;
      for (const stopped of await stopAll(pool)) {
        const at = indexes.get(stopped) ?? 0;
        await dropBranch(block, branches[at]);
        rules.onStop?.(at);
      }
    };
    const endInOrder = async (isLast: boolean): Promise<void> => {
      for (; due < branches.length; due += 1) {
        const ended = unmerged.get(due);
        if (ended !== undefined) await end(due, ended);
        else if (!isLast && !ends.has(branches[due]?.key ?? ('' as StepKey))) return;
        unmerged.delete(due);
      }
    };
    for (;;) {
      while (isOpen && pool.free > 0) {
        const { value: branch } = waiting.next();
        if (branch === undefined) break;
        const body = (durable: OrchestrateDurable) => runBranch(block, branch, { durable, outer, openings });
        pool.start({ key: branch.key, body });
      }
      const ended = await pool.next();
      if (ended === undefined) return endInOrder(true);
      const index = indexes.get(ended.key) ?? 0;
      if (ended.output.saved === undefined || rules.mergesAtOnce === true) await end(index, ended.output);
      else unmerged.set(index, ended.output);
      await endInOrder(false);
    }
  });
  return branches.map(({ key }) => ends.get(key));
}

/** After its steps: merges its changes, and ends it as an item. */
export async function endBranch(
  around: Block,
  branch: Branch,
  { ended, openings }: { readonly ended: BranchEnd; readonly openings?: Openings },
): Promise<BranchEnd> {
  const { isolation, moves } = branch;
  if (isolation === undefined) return ended;
  await openings?.all();
  const block = blockOf(around, branch);
  const merged = { ...ended, ...(await mergeList(block, isolation, ended)) };
  return moves === undefined ? merged : { ...merged, end: await endItem(block, moves, merged.end) };
}

export async function dropBranch(around: Block, branch: Branch | undefined): Promise<void> {
  if (branch?.isolation === undefined) return;
  await dropList(blockOf(around, branch), branch.isolation);
}

/** The block of a branch, reached from the one around it. */
function blockOf(around: Block, { key, wholePath, loop, definition }: Branch): Block {
  return { ...innerBlock(around, { key, wholePath, ...defined({ loop }) }), ...defined({ definition }) };
}

/** Stops everything that runs, at the same time; returns what was stopped. */
export async function stopAll<Output>(pool: Pool<EffectMap, Output>): Promise<readonly StepKey[]> {
  const keys = pool.running;
  await Promise.all(keys.map((key) => pool.stop(key)));
  return keys;
}

/** After an `end` everything stops; after a `break` nothing new starts. */
export function onwardAfter({ end }: BranchEnd): Onward {
  if (end.leaving === undefined) return 'continue';
  return end.leaving.type === 'workflow' ? 'stop-others' : 'start-nothing';
}

/** The key space of the branch, the results it can see, and the worktrees that are made beside its own. */
interface OwnOfBranch {
  readonly durable: OrchestrateDurable;
  readonly outer: Block['outer'];
  readonly openings: Openings;
}

export async function runBranch(
  around: Block,
  branch: Branch,
  { durable, outer, openings }: OwnOfBranch,
): Promise<BranchEnd> {
  const block: Block = {
    ...around,
    durable,
    outer,
    path: '',
    wholePath: branch.wholePath,
    records: new Map(),
    ...defined({ loop: branch.loop, definition: branch.definition }),
  };
  const { isolation, moves } = branch;
  if (isolation !== undefined) {
    const onOpen = openings.begin();
    const run = (inside: Block) => runSteps(inside, branch.steps);
    const ended = await runIsolatedList(block, isolation, { run, onOpen }).finally(onOpen);
    return { ...ended, records: moves === undefined ? block.records : new Map() };
  }
  const ended = await runSteps(block, branch.steps);
  if (moves === undefined) return { end: ended, records: block.records };
  // Steps outside cannot see into an item, and thousands of items may take much memory.
  return { end: await endItem(block, moves, ended), records: new Map() };
}
