/** The project's tree before and after each iteration, from the records of a run. */
import type { RunEvent } from '../../model/event.ts';
import { isJsonObject } from '../../model/json.ts';

export interface IterationTrees {
  before?: string;
  after?: string;
  /** The agent's documents after the iteration. */
  status?: string;
  todo?: string;
  /** Its checkpoint. */
  commit?: string;
  /** Another loop was at work in the same tree, so some changes may be its work. */
  isShared: boolean;
}

export interface LoopTrees {
  readonly iterations: ReadonlyMap<number, IterationTrees>;
  /** Workspace-relative: its worktree, if that has not been removed. */
  readonly worktree?: string;
}

const PART = /^iteration\/(\d+)@(before|after|status|list|commit)$/;

export function loopTrees(events: Iterable<RunEvent>): LoopTrees {
  const iterations = new Map<number, IterationTrees>();
  let worktree: string | undefined;
  for (const event of events) {
    if (event.type !== 'step-ended' || !isJsonObject(event.output)) continue;
    const { output, key } = event;
    if (key === 'run@worktree' && typeof output['folder'] === 'string') worktree = output['folder'];
    if (key === 'end@discard') worktree = undefined;
    const [, number, part] = PART.exec(key) ?? [];
    if (number === undefined) continue;
    const trees = iterations.get(Number(number)) ?? { isShared: false };
    iterations.set(Number(number), trees);
    const { tree, text } = output;
    if (part === 'before' && typeof tree === 'string') trees.before = tree;
    if (part === 'after' && typeof tree === 'string') trees.after = tree;
    if (part === 'status' && typeof text === 'string') trees.status = text;
    if (part === 'list' && typeof text === 'string') trees.todo = text;
    if (part === 'commit' && typeof output['commit'] === 'string') trees.commit = output['commit'];
    if (output['isShared'] === true) trees.isShared = true;
  }
  return { iterations, ...(worktree === undefined ? {} : { worktree }) };
}
