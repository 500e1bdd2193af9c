/** The session that new tasks are added to: the named one, the active one, or a new one. */
import { defined } from '../../../model/defined.ts';
import type { JsonObject } from '../../../model/json.ts';
import { error, ok, type Result } from '../../../model/result.ts';
import type { Task } from '../../../session/document/task.ts';
import { activeSession, type Session, startSession } from '../../../session/sessions/sessions.ts';
import type { Problem } from '../../problem.ts';
import type { Site } from '../../site.ts';
import { openUnfinished } from '../open-session.ts';
import { soundTasks } from '../tasks/validate-tasks.ts';

/** Undefined: none is named and none is active. */
export function sessionThere(
  site: Pick<Site, 'workspace'>,
  name: string | undefined,
): Result<Session | undefined, Problem> {
  if (name === undefined && activeSession(site.workspace) === undefined) return ok(undefined);
  const session = openUnfinished(site, name);
  if (session.type === 'error') return session;
  const sound = soundTasks(session.value);
  return sound.type === 'ok' ? session : error(sound.error);
}

/** The topic is the first line of the request. */
export async function startFor(
  { workspace, now }: Pick<Site, 'workspace' | 'now'>,
  request: string,
): Promise<Result<Session, Problem>> {
  const [line = 'Plan'] = request.trim().split('\n', 1);
  const topic = line.replace(/^#+\s*/, '').slice(0, 200);
  const wanted = { topic, kind: 'workflow', complexity: 'simple', now: now() } as const;
  return await startSession(workspace, wanted);
}

/** What the check of new tasks needs to know about an existing one. */
export function outlineOf(task: Task): JsonObject {
  const { id, title, status } = task;
  return {
    id,
    title,
    status,
    meta: {},
    context: { ...defined({ parent: task.parent }), depends_on: task.dependsOn },
    flow_control: {},
  };
}
