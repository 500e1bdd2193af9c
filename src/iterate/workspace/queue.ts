/** `.queue.json` in the folder of the workspaces: the loops that `queue run` works through, in order. */
import * as v from 'valibot';
import type { JsonObject } from '../../model/json.ts';
import { error, ok } from '../../model/result.ts';
import type { DocumentParser } from '../../store/document.ts';
import type { RunOptions } from '../run-options.ts';
import { isWorkspaceName } from './layout.ts';

export const QUEUE_FILE = '.queue.json';
/** Held by the process that works through the queue. */
export const QUEUE_LOCK = '.queue.lock';

export interface QueuedLoop {
  readonly name: string;
  /** As given to `queue add`. */
  readonly options: RunOptions;
  readonly addedAt: string;
  /** Absent: not yet. */
  readonly startedAt?: string | undefined;
  /** Its loop has ended, well or not; one that waits for an answer has not. */
  readonly endedAt?: string | undefined;
}

/** That `queue run` works through it, or has been killed. */
export interface QueueWork {
  readonly maxParallel: number;
  readonly since: string;
  /** By the user who started it. */
  readonly seal?: string | undefined;
  /** A signal has ended it, perhaps that of a shutdown. */
  readonly stopped?: { readonly signal: string; readonly at: string } | undefined;
}

export interface LoopQueue {
  readonly version: 1;
  readonly loops: readonly QueuedLoop[];
  readonly work?: QueueWork | undefined;
}

export const EMPTY_QUEUE: LoopQueue = { version: 1, loops: [] };

const text = v.string();
const shape = v.looseObject({
  version: v.literal(1),
  loops: v.array(
    v.looseObject({
      name: v.pipe(text, v.check(isWorkspaceName, 'is not the name of a workspace')),
      options: v.record(text, v.unknown()),
      addedAt: text,
      startedAt: v.optional(text),
      endedAt: v.optional(text),
    }),
  ),
  work: v.optional(
    v.looseObject({
      maxParallel: v.pipe(v.number(), v.integer(), v.minValue(1)),
      since: text,
      seal: v.optional(text),
      stopped: v.optional(v.looseObject({ signal: text, at: text })),
    }),
  ),
});

export const parseQueue: DocumentParser<LoopQueue> = (value) => {
  const parsed = v.safeParse(shape, value);
  if (parsed.success) return ok(value as JsonObject as unknown as LoopQueue);
  return error(parsed.issues.map((issue) => `\`${v.getDotPath(issue) ?? 'document'}\` ${issue.message}`));
};

const FORGOTTEN_MS = 7 * 86_400_000;

/** Adds a loop at the end. Ended loops belong to an earlier night, and are forgotten, if all others have ended too or a week has passed. */
export function withLoop(queue: LoopQueue, loop: QueuedLoop): LoopQueue {
  const isOver = queue.loops.every(({ endedAt }) => endedAt !== undefined);
  const oldest = Date.parse(loop.addedAt) - FORGOTTEN_MS;
  const others = isOver
    ? []
    : queue.loops.filter(
        ({ name, endedAt }) =>
          name !== loop.name && (endedAt === undefined || !(Date.parse(endedAt) < oldest)),
      );
  return { ...queue, loops: [...others, loop] };
}

export function withoutLoop(queue: LoopQueue, name: string): LoopQueue {
  return { ...queue, loops: queue.loops.filter((each) => each.name !== name) };
}

export function changedLoop(queue: LoopQueue, name: string, change: Partial<QueuedLoop>): LoopQueue {
  return { ...queue, loops: queue.loops.map((each) => (each.name === name ? { ...each, ...change } : each)) };
}
