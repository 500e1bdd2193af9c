import type { Connection } from './database.ts';

/** A piece of work that a worker takes from a queue. */
export interface QueuedWork {
  readonly type: 'turn' | 'call';
  /** Unique for all time. */
  readonly id: string;
  readonly queue: string;
  /** The version of the program that can do it. */
  readonly version: string;
}

/** Brings work to workers (DBOS). */
export interface Carrier {
  /** The work exists when the transaction of the connection is committed. */
  enqueue(connection: Connection, work: QueuedWork): Promise<void>;
}

/** The queue of runs that wait for a worker to host them. */
export const RUNS_QUEUE = 'runs';

export function queueOfLabel(label: string): string {
  return `label:${label}`;
}

/** The label of a step that names none. */
export const DEFAULT_LABEL = 'default';
