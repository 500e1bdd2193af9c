import { type LoopTrees, loopTrees } from '../../../iterate/events/loop-trees.ts';
import { error, ok, type Result } from '../../../model/result.ts';
import { type Problem, type Refused, refused } from '../../problem.ts';
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
  if (metadata.run === undefined)
    return error(refused('conflict', `\`${name}\` has not been run yet`, `claude-iterate run ${name}`));
  const run = readRunWithEvents(site, metadata.run.id);
  if (run.type === 'error') return run;
  const trees = loopTrees(run.value.events);
  const known = [...trees.iterations]
    .filter(([, { after }]) => after !== undefined)
    .map(([number]) => number);
  const last = Math.max(0, ...known);
  if (last === 0)
    return error(
      refused(
        'conflict',
        `no changes of \`${name}\` are recorded`,
        'they are recorded in a git repository, after an iteration',
      ),
    );
  const { rollback } = metadata;
  const isLast = rollback !== undefined && rollback.run === run.value.runId && rollback.from === last;
  return ok({ ...trees, run: run.value, last, ...(isLast ? { rolledBackTo: rollback.to } : {}) });
}

/** The tree after iteration `number`; 0: before the first. */
export function treeAfter({ iterations, last }: FoundTrees, number: number): Result<string, Refused> {
  const tree = number === 0 ? iterations.get(1)?.before : iterations.get(number)?.after;
  if (tree !== undefined) return ok(tree);
  return error(refused('not-found', `iteration ${number} is not recorded; the last one is ${last}`));
}
