import { mayCollide } from '../document/focus.ts';
import type { TaskId } from '../ids.ts';
import type { PlannedTask } from './input.ts';

export interface Standing {
  /** Not started yet, in id order. */
  readonly waiting: readonly PlannedTask[];
  readonly running: readonly PlannedTask[];
  readonly completed: ReadonlySet<TaskId>;
  readonly limit: number;
  /** Each task has its own checkout, so only declared paths can conflict. */
  readonly separate: boolean;
}

/** Tasks that may start now: ready, within the limit, and not overlapping with a running task. */
export function nextToStart(standing: Standing): readonly PlannedTask[] {
  const running = [...standing.running];
  const starting: PlannedTask[] = [];
  for (const task of standing.waiting) {
    if (running.length >= standing.limit) break;
    const isReady = task.waitsFor.every((id) => standing.completed.has(id));
    if (!isReady || running.some((other) => collide(task, other, standing.separate))) continue;
    running.push(task);
    starting.push(task);
  }
  return starting;
}

function collide(a: PlannedTask, b: PlannedTask, separate: boolean): boolean {
  if (separate && (a.paths.length === 0 || b.paths.length === 0)) return false;
  return mayCollide(a.paths, b.paths);
}
