import type { JsonObject } from '../../model/json.ts';
import type { KeptFile } from '../../model/kept-file.ts';
import { error, ok, type Result } from '../../model/result.ts';
import { addTasks, whyNotAdded } from '../add-tasks.ts';
import { changeSession, type SessionFile } from '../document/session-file.ts';
import type { TaskId } from '../ids.ts';
import type { SessionPaths } from '../layout.ts';
import type { SessionProblem } from '../problem.ts';
import { broken } from '../sessions/sessions.ts';
import { bringInLine, withSession } from '../views/write-views.ts';

export interface TakenUp {
  readonly ids: readonly TaskId[];
  readonly kept: readonly KeptFile[];
}

export interface PlanTaken {
  readonly tasks: readonly JsonObject[];
  readonly about: JsonObject;
  /** What the run has spent on it. */
  readonly figures?: JsonObject;
  readonly runId?: string;
}

/** Adds the tasks to the session, records the plan in its document, and updates the views. */
export async function takeUp(paths: SessionPaths, plan: PlanTaken): Promise<Result<TakenUp, SessionProblem>> {
  const done = await withSession(paths, async () => {
    const problem = whyNotAdded(paths, plan.tasks);
    if (problem !== undefined) return error(problem);
    // Before the tasks are added: after a kill here, planning runs again and nothing is missing.
    const changed = await changeSession(paths.session, (file) => ({
      ...file,
      ...plan.about,
      ...costOf(plan, file),
    }));
    if (changed.type === 'error') return error(broken(changed.error));
    const added = addTasks(paths, plan.tasks);
    if (added.type === 'error') return added;
    const views = await bringInLine(paths);
    return views.type === 'error'
      ? error(broken(views.error))
      : ok({ ids: added.value, kept: views.value.kept });
  });
  return done.type === 'ok' ? done.value : error(broken(done.error));
}

/** A run that is resumed replaces its own cost, not that of a plan that came after it. */
function costOf({ figures, runId }: PlanTaken, file: SessionFile): Pick<SessionFile, 'planning_runs'> {
  if (figures === undefined || runId === undefined) return {};
  return { planning_runs: { ...file.planning_runs, [runId]: figures } };
}
