import type { JsonObject } from '../../../model/json.ts';
import { ok, type Result } from '../../../model/result.ts';
import { object } from '../../../session/document/fields.ts';
import { type FiguresByRun, figureFields, sumFigures } from '../../../session/document/figures.ts';
import type { Task } from '../../../session/document/task.ts';
import type { TaskId } from '../../../session/ids.ts';
import { findTask, loadGraph } from '../../../session/sessions/tasks.ts';
import type { Problem } from '../../problem.ts';
import type { Site } from '../../site.ts';
import { readLastRun } from '../last-run.ts';
import { currentFigures } from '../listed-task.ts';
import { openSession } from '../open-session.ts';

export interface GetTask {
  /** Default: the active session. */
  readonly session?: string | undefined;
  readonly task: string;
}

export interface TaskDocument {
  readonly id: TaskId;
  /** The complete document, including fields added by other programs, with what its task has cost so far. */
  readonly document: JsonObject;
}

export function getTask(site: Pick<Site, 'workspace'>, asked: GetTask): Result<TaskDocument, Problem> {
  const session = openSession(site, asked.session);
  if (session.type === 'error') return session;
  const found = findTask(loadGraph(session.value), asked.task);
  if (found.type === 'error') return found;
  const task = found.value;
  const figures = currentFigures(task, readLastRun(site, session.value.file));
  return ok({ id: task.id, document: figures === undefined ? task.source : withFigures(task, figures) });
}

function withFigures({ source }: Task, figures: FiguresByRun): JsonObject {
  const runs = Object.entries(figures).map(([runId, each]) => [runId, figureFields(each)] as const);
  return {
    ...source,
    execution: {
      ...object(source['execution']),
      ...figureFields(sumFigures(Object.values(figures))),
      ...(runs.length < 2 ? {} : { runs: Object.fromEntries(runs) }),
    },
  };
}
