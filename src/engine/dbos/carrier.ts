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

/** How the machines of a run share its files: in one folder, or as commits. Workers take only work whose files they can reach. */
export type FilesBy = 'folder' | 'git';

/** The queue of runs that wait for a worker to host them. */
export function queueOfRuns(by: FilesBy): string {
  return by === 'folder' ? 'runs' : `runs:${by}`;
}

export function queueOfLabel(label: string, by: FilesBy): string {
  return by === 'folder' ? `label:${label}` : `label:${by}:${label}`;
}

/** The label by which a step names this one machine. */
export function labelOfName(name: string): string {
  return `at:${name}`;
}

/** The label of a step that names none. */
export const DEFAULT_LABEL = 'default';
