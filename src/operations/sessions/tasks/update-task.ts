import { defined } from '../../../model/defined.ts';
import type { KeptFile } from '../../../model/kept-file.ts';
import { error, ok, type Result } from '../../../model/result.ts';
import type { TaskStatus } from '../../../session/document/task.ts';
import { type TaskChange, updateTask as update } from '../../../session/sessions/tasks.ts';
import type { Problem } from '../../problem.ts';
import type { Site } from '../../site.ts';
import { keptFiles } from '../kept-files.ts';
import { openSession } from '../open-session.ts';
import { checkFocus } from './check-focus.ts';
import type { TaskDocument } from './get-task.ts';
import { withOwnAcceptance } from './own-acceptance.ts';

/** Omitted fields stay as they are; a list replaces the previous one. */
export interface UpdateTask {
  /** Default: the active session. */
  readonly session?: string | undefined;
  readonly task: string;
  /** Cannot be set on a container. */
  readonly status?: TaskStatus | undefined;
  readonly title?: string | undefined;
  readonly type?: string | undefined;
  readonly agent?: string | undefined;
  readonly dependsOn?: readonly string[] | undefined;
  readonly focus?: readonly string[] | undefined;
  readonly requirements?: readonly string[] | undefined;
  readonly acceptance?: readonly string[] | undefined;
}

export interface TaskUpdated extends TaskDocument {
  readonly kept: readonly KeptFile[];
  /** Why the user will still be asked to trust the acceptance commands. */
  readonly trustProblem?: string;
}

export async function updateTask(site: Site, asked: UpdateTask): Promise<Result<TaskUpdated, Problem>> {
  const opened = openSession(site, asked.session);
  if (opened.type === 'error') return opened;
  const session = opened.value;
  const change = changeOf(asked);
  if (Object.keys(change).length === 0) return error({ type: 'nothing-to-change' });
  const focus = checkFocus(asked.focus);
  if (focus.type === 'error') return focus;
  const { value, problem } = await withOwnAcceptance(site, session, {
    acceptance: asked.acceptance,
    change: () => update(session, asked.task, change),
  });
  const updated = value;
  if (updated.type === 'error') return updated;
  const { task, kept } = updated.value;
  return ok({
    id: task.id,
    document: task.source,
    kept: keptFiles(session, kept),
    ...defined({ trustProblem: problem }),
  });
}

/** A change that needs no further checks. */
export async function changeTask(
  site: Site,
  { session: name, task: id }: { readonly session?: string | undefined; readonly task: string },
  change: TaskChange,
): Promise<Result<TaskUpdated, Problem>> {
  const opened = openSession(site, name);
  if (opened.type === 'error') return opened;
  const updated = await update(opened.value, id, change);
  if (updated.type === 'error') return updated;
  const { task, kept } = updated.value;
  return ok({ id: task.id, document: task.source, kept: keptFiles(opened.value, kept) });
}

function changeOf({ session: _session, task: _task, ...fields }: UpdateTask): TaskChange {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}
