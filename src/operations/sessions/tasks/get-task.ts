import type { JsonObject } from '../../../model/json.ts';
import { ok, type Result } from '../../../model/result.ts';
import type { TaskId } from '../../../session/ids.ts';
import { findTask, loadGraph } from '../../../session/sessions/tasks.ts';
import type { Problem } from '../../problem.ts';
import type { Site } from '../../site.ts';
import { openSession } from '../open-session.ts';

export interface GetTask {
  /** Default: the active session. */
  readonly session?: string | undefined;
  readonly task: string;
}

export interface TaskDocument {
  readonly id: TaskId;
  /** The complete document, including fields added by other programs. */
  readonly document: JsonObject;
}

export function getTask(site: Pick<Site, 'workspace'>, asked: GetTask): Result<TaskDocument, Problem> {
  const session = openSession(site, asked.session);
  if (session.type === 'error') return session;
  const found = findTask(loadGraph(session.value), asked.task);
  return found.type === 'ok' ? ok({ id: found.value.id, document: found.value.source }) : found;
}
