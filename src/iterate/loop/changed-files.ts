/**
 * What an iteration changed in the project: the difference between two snapshots of its tree. Without version control only whether
 * something changed is known, and that is determined only where it matters.
 */
import { basename, dirname } from 'node:path';
import type { ChangedFile, Neighbours, SnapshotTreeInput } from '../../effects/contracts.ts';
import { defined } from '../../model/defined.ts';
import { type StepKey, sideKey } from '../../model/ids.ts';
import { FILES } from '../workspace/layout.ts';
import type { LoopState } from './loop-state.ts';
import { ownFolders } from './own-tree.ts';

export interface TreeBefore {
  readonly tree?: string;
  readonly isShared?: boolean;
  readonly digest?: string;
}

export interface TreeChange {
  /** Certainly by this loop's agent: no other loop was at work in the same tree. */
  readonly isOwn: boolean;
  /** After the iteration; omitted without version control. */
  readonly tree?: string;
  readonly files?: readonly ChangedFile[];
}

export async function lookBefore(state: LoopState, key: StepKey): Promise<TreeBefore> {
  const { output } = await state.durable.step(sideKey(key, 'before'), 'snapshot-tree', snapshotInput(state));
  const { tree, isShared } = output;
  if (tree !== undefined) return { tree, ...defined({ isShared }) };
  return isProgressJudged(state) ? defined({ digest: await digest(state, sideKey(key, 'tree-before')) }) : {};
}

export async function lookAfter(state: LoopState, key: StepKey, before: TreeBefore): Promise<TreeChange> {
  if (before.tree === undefined) {
    if (before.digest === undefined) return { isOwn: false };
    const after = await digest(state, sideKey(key, 'tree-after'));
    return { isOwn: after !== undefined && after !== before.digest };
  }
  const { output } = await state.durable.step(sideKey(key, 'after'), 'snapshot-tree', {
    ...snapshotInput(state),
    since: before.tree,
  });
  const { tree, files, isShared } = output;
  const isOwn = isShared !== true && before.isShared !== true && (files?.length ?? 0) > 0;
  return { isOwn, ...defined({ tree, files }) };
}

function snapshotInput({ input, cwd }: LoopState): SnapshotTreeInput {
  return {
    except: ownFolders(input),
    ...(cwd === undefined ? { neighbours: neighboursOf(input.workspacePath) } : { cwd }),
  };
}

/** Whether it matters that files changed, also without version control. */
function isProgressJudged({ input, limits }: LoopState): boolean {
  return (
    input.permissions !== 'bypass' ||
    input.timeoutMs !== undefined ||
    (input.mode === 'iterative' && limits.stagnationThreshold > 0)
  );
}

/** Undefined if unknown, or if another loop works in the same tree; unknown does not count as work. */
async function digest({ durable, input }: LoopState, key: StepKey): Promise<string | undefined> {
  const { output } = await durable.step(key, 'digest-tree', {
    except: [dirname(input.workspacePath)],
    neighbours: neighboursOf(input.workspacePath),
  });
  return output.isShared === true ? undefined : output.digest;
}

function neighboursOf(workspacePath: string): Neighbours {
  return { folder: dirname(workspacePath), lock: FILES.lock, except: basename(workspacePath) };
}
