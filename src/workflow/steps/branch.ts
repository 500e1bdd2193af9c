import type { EffectMap, OrchestrateDurable } from '../../effects/contracts.ts';
import type { Pool } from '../../engine/durable.ts';
import { defined } from '../../model/defined.ts';
import type { StepKey } from '../../model/ids.ts';
import type { StepRecord } from '../../model/record.ts';
import { type Block, type BlockEnd, type LoopVariables, visibleRecords, withoutLast } from '../block.ts';
import type { Step, WorkflowDefinition } from '../definition.ts';
import { endItem, type ItemMoves } from '../end-item.ts';
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
}

export interface BranchEnd {
  readonly end: BlockEnd;
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
  const ends = new Map<StepKey, BranchEnd>();
  const indexes = new Map(branches.map(({ key }, index) => [key, index]));
  await block.durable.pool<BranchEnd, void>(rules.slots, async (pool) => {
    const waiting = branches.values();
    for (let isOpen = true; ; ) {
      while (isOpen && pool.free > 0) {
        const { value: branch } = waiting.next();
        if (branch === undefined) break;
        pool.start({ key: branch.key, body: (durable) => runBranch(block, branch, { durable, outer }) });
      }
      const ended = await pool.next();
      if (ended === undefined) return;
      const { key, output } = ended;
      const onward = rules.onEnd(output, indexes.get(key) ?? 0);
      ends.set(key, { ...output, end: withoutLast(output.end) });
      if (onward !== 'continue') isOpen = false;
      if (onward === 'stop-others')
        for (const stopped of await stopAll(pool)) rules.onStop?.(indexes.get(stopped) ?? 0);
    }
  });
  return branches.map(({ key }) => ends.get(key));
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

/** `own`: the key space of the branch, and the results it can see. */
export async function runBranch(
  around: Block,
  branch: Branch,
  own: { readonly durable: OrchestrateDurable; readonly outer: Block['outer'] },
): Promise<BranchEnd> {
  const block: Block = {
    ...around,
    ...own,
    path: '',
    wholePath: branch.wholePath,
    records: new Map(),
    ...defined({ loop: branch.loop, definition: branch.definition }),
  };
  const ended = await runSteps(block, branch.steps);
  if (branch.moves === undefined) return { end: ended, records: block.records };
  // Steps outside cannot see into an item, and thousands of items may take much memory.
  return { end: await endItem(block, branch.moves, ended), records: new Map() };
}
