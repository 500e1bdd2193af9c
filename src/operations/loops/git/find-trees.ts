import { type LoopTrees, loopTrees } from '../../../iterate/events/loop-trees.ts';
import { error, ok, type Result } from '../../../model/result.ts';
import type { Problem } from '../../problem.ts';
import { type ReadRun, readRunWithEvents } from '../../runs/read-run.ts';
import type { Site } from '../../site.ts';
import type { OpenedWorkspace } from '../site/find-loop.ts';

export interface FoundTrees extends LoopTrees {
  readonly run: ReadRun;
  /** The last iteration whose tree is known. */
  readonly last: number;
  /** Where the last rollback went, if no iteration came after it. */
  readonly rolledBackTo?: number;
}

export function findTrees(site: Site, { name, metadata }: OpenedWorkspace): Result<FoundTrees, Problem> {
  if (metadata.run === undefined) return error({ type: 'loop-never-run', name });
  const run = readRunWithEvents(site, metadata.run.id);
  if (run.type === 'error') return run;
  const trees = loopTrees(run.value.events);
  const known = [...trees.iterations]
    .filter(([, { after }]) => after !== undefined)
    .map(([number]) => number);
  const last = Math.max(0, ...known);
  if (last === 0) return error({ type: 'no-recorded-changes', name });
  const { rollback } = metadata;
  const isLast = rollback !== undefined && rollback.run === run.value.runId && rollback.from === last;
  return ok({ ...trees, run: run.value, last, ...(isLast ? { rolledBackTo: rollback.to } : {}) });
}

/** The tree after iteration `number`; 0: before the first. */
export function treeAfter({ iterations, last }: FoundTrees, number: number): Result<string, Problem> {
  const tree = number === 0 ? iterations.get(1)?.before : iterations.get(number)?.after;
  if (tree !== undefined) return ok(tree);
  return error({ type: 'iteration-not-recorded', iteration: number, last });
}
