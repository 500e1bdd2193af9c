import fs from 'node:fs';
import { resolve } from 'node:path';
import { error, ok, type Result } from '../../model/result.ts';
import { putTask } from '../../queue/put-task.ts';
import type { Task } from '../../queue/queue.ts';
import { errnoOf } from '../../store/errno.ts';
import type { Problem } from '../problem.ts';
import type { Site } from '../site.ts';
import { findQueue, type QueueChoice, queueProblem } from './find-queue.ts';

export interface PutInQueue extends QueueChoice {
  readonly agent: string;
  /** The task. */
  readonly contents: { readonly text: string | Uint8Array } | { readonly file: string };
}

/** Adds a task to the end of the agent's queue. */
export function putInQueue(site: Site, { agent, contents, ...choice }: PutInQueue): Result<Task, Problem> {
  const queue = findQueue(site, choice);
  if (queue.type === 'error') return queue;
  const text = 'file' in contents ? readContents(site, contents.file) : ok(contents.text);
  if (text.type === 'error') return text;
  const put = putTask(queue.value, agent, text.value);
  return put.type === 'ok' ? put : error(queueProblem(put.error));
}

function readContents({ workspace }: Site, file: string): Result<Uint8Array, Problem> {
  try {
    return ok(fs.readFileSync(resolve(workspace, file)));
  } catch (cause) {
    return error(unreadable(file, errnoOf(cause)));
  }
}

export function unreadable(path: string, code: string): Problem {
  return queueProblem({ type: 'file', operation: 'read', path, code });
}
