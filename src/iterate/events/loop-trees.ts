/** The project's tree before and after each iteration, from the records of a run. */
import { defined } from '../../model/defined.ts';
import type { RunEvent } from '../../model/event.ts';
import { isJsonObject, type JsonObject } from '../../model/json.ts';

export interface IterationTrees {
  before?: string;
  after?: string;
  /** The agent's documents after the iteration. Null: there was none; undefined: unknown. */
  status?: string | null | undefined;
  todo?: string | null | undefined;
  /** Its checkpoint. */
  commit?: string;
  /** Another loop was at work in the same tree, so some changes may be its work. */
  isShared: boolean;
}

export interface LoopTrees {
  /** 0 has only the documents before the first. */
  readonly iterations: ReadonlyMap<number, IterationTrees>;
  /** Workspace-relative: its worktree, if that has not been removed. */
  readonly worktree?: string;
}

const PART = /^iteration\/(\d+)@(before|after|status|list|commit)$/;
const AT_START: { readonly [key: string]: 'status' | 'todo' } = { 'run@claim': 'status', 'run@list': 'todo' };

export function loopTrees(events: Iterable<RunEvent>): LoopTrees {
  const iterations = new Map<number, IterationTrees>();
  let worktree: string | undefined;
  for (const event of events) {
    if (event.type !== 'step-ended' || !isJsonObject(event.output)) continue;
    const { output, key } = event;
    if (key === 'run@worktree' && typeof output['folder'] === 'string') worktree = output['folder'];
    if (key === 'end@discard') worktree = undefined;
    const atStart = AT_START[key];
    if (atStart !== undefined)
      iterations.set(0, { isShared: false, ...iterations.get(0), [atStart]: documentIn(output) });
    const [, number, part] = PART.exec(key) ?? [];
    if (number === undefined) continue;
    const trees = iterations.get(Number(number)) ?? { isShared: false };
    iterations.set(Number(number), trees);
    const { tree } = output;
    if (part === 'before' && typeof tree === 'string') trees.before = tree;
    if (part === 'after' && typeof tree === 'string') trees.after = tree;
    if (part === 'status') trees.status = documentIn(output);
    if (part === 'list') trees.todo = documentIn(output);
    if (part === 'commit' && typeof output['commit'] === 'string') trees.commit = output['commit'];
    if (output['isShared'] === true) trees.isShared = true;
  }
  return { iterations, ...defined({ worktree }) };
}

/** Undefined if only a part of it was recorded. */
function documentIn({ text, truncated, failure }: JsonObject): string | null | undefined {
  if (failure !== undefined || truncated === true) return undefined;
  return typeof text === 'string' ? text : null;
}
