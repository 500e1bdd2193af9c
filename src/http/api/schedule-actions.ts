/** Actions on schedules and on the queue of runs. */
import { isJsonObject, type JsonObject } from '../../model/json.ts';
import { error, type Result } from '../../model/result.ts';
import type { Problem } from '../../operations/problem.ts';
import { pauseSchedule } from '../../operations/schedules/paused.ts';
import {
  dropFromRunQueue,
  findQueued,
  HIGHEST_PRIORITY,
  LOWEST_PRIORITY,
  moveInRunQueue,
  queueRun,
} from '../../operations/schedules/run-queue.ts';
import type { Site } from '../../operations/site.ts';
import { type Action, type Said, said, text } from './action.ts';

export const SCHEDULE_ACTIONS: { readonly [command: string]: Action } = {
  'run-queue': async ({ site }, given) => {
    const priority = priorityIn(given, 0);
    if (priority === undefined) return error(WRONG_PRIORITY);
    const queued = await queueRun(site, { ...runAsked(given), priority });
    return said(queued, ({ run_id }) => `Queued run ${run_id}.`);
  },
  'schedule-pause': ({ site }, given) => pause(site, given, true),
  'schedule-resume': ({ site }, given) => pause(site, given, false),
  'schedule-move': async ({ site }, given) => {
    const priority = priorityIn(given);
    if (priority === undefined) return error(WRONG_PRIORITY);
    const moved = await moveInRunQueue(site, { run: text(given, 'run') ?? '', priority });
    return said(moved, ({ run_id }) => `Run ${run_id} has priority ${priority}.`);
  },
  'schedule-drop': async ({ site }, given) => {
    const found = findQueued(site, text(given, 'run') ?? '');
    if (found.type === 'error') return found;
    const { run_id } = found.value;
    return said(await dropFromRunQueue(site, run_id), () => `Removed run ${run_id} from the queue.`);
  },
};

/** The workflow and the inputs of an action. */
export function runAsked(given: JsonObject): { readonly file: string; readonly context: JsonObject } {
  const inputs = given['inputs'];
  return { file: text(given, 'file') ?? '', context: isJsonObject(inputs) ? inputs : {} };
}

const WRONG_PRIORITY: Problem = {
  type: 'invalid-priority',
  lowest: LOWEST_PRIORITY,
  highest: HIGHEST_PRIORITY,
};

function priorityIn(given: JsonObject, or?: number): number | undefined {
  const value = given['priority'] ?? or;
  return typeof value === 'number' &&
    Number.isInteger(value) &&
    value >= LOWEST_PRIORITY &&
    value <= HIGHEST_PRIORITY
    ? value
    : undefined;
}

async function pause(site: Site, given: JsonObject, isPaused: boolean): Promise<Result<Said, Problem>> {
  const paused = await pauseSchedule(site, { workflow: text(given, 'workflow') ?? '', isPaused });
  return said(paused, ({ file }) => `\`${file}\` is ${isPaused ? 'paused' : 'scheduled again'}.`);
}
