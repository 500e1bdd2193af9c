/** Actions on loops, sessions, phases and queues. */

import type { JsonObject } from '../../model/json.ts';
import { error, type Result } from '../../model/result.ts';
import { addToQueue, removeFromQueue } from '../../operations/loops/queue/change-queue.ts';
import { prepareLoop } from '../../operations/loops/run/prepare-loop.ts';
import { pauseLoop, stopLoop } from '../../operations/loops/stop-loop.ts';
import {
  completePhase,
  failPhase,
  type PhaseChanged,
  retryPhase,
  startPhase,
} from '../../operations/phases/change-phase.ts';
import type { Problem } from '../../operations/problem.ts';
import { finishTask } from '../../operations/queues/finish-task.ts';
import { putInQueue } from '../../operations/queues/put-in-queue.ts';
import { pauseSession, resumeLastSession, switchSession } from '../../operations/sessions/change-session.ts';
import { type UpdateTask, updateTask } from '../../operations/sessions/tasks/update-task.ts';
import { type Action, begin, type Said, said, text } from './action.ts';

export const PROGRAM_ACTIONS: { readonly [command: string]: Action } = {
  'iterate-run': (acting, given) =>
    begin(acting, prepareLoop(acting.site, { name: name(given) }), `Started loop \`${name(given)}\`.`),
  'iterate-stop': ({ site }, given) =>
    said(stopLoop(site, { name: name(given) }), () => `\`${name(given)}\` stops after its iteration.`),
  'iterate-pause': ({ site }, given) =>
    said(pauseLoop(site, { name: name(given) }), () => `\`${name(given)}\` pauses after its iteration.`),
  'iterate-queue': async ({ site }, given) =>
    said(
      await addToQueue(site, { name: name(given), options: {} }),
      ({ position }) => `\`${name(given)}\` is number ${position} in the queue.`,
    ),
  'iterate-unqueue': async ({ site }, given) =>
    said(
      await removeFromQueue(site, { name: name(given) }),
      () => `Removed \`${name(given)}\` from the queue.`,
    ),
  'task-update': async ({ site }, given) =>
    said(
      await updateTask(site, {
        session: text(given, 'session'),
        task: text(given, 'task') ?? '',
        status: text(given, 'status') as UpdateTask['status'],
      }),
      () => `\`${text(given, 'task')}\` is ${text(given, 'status')}.`,
    ),
  'session-switch': async ({ site }, given) =>
    said(await switchSession(site, text(given, 'session') ?? ''), ({ id }) => `\`${id}\` is active.`),
  'session-pause': async ({ site }) => said(await pauseSession(site), ({ id }) => `\`${id}\` is paused.`),
  'session-resume': async ({ site }) =>
    said(await resumeLastSession(site), ({ id }) => `\`${id}\` is active.`),
  'phase-start': async ({ site }, given) => phaseSaid(await startPhase(site, { phase: phase(given) })),
  'phase-complete': async ({ site }, given) => phaseSaid(await completePhase(site, { phase: phase(given) })),
  'phase-fail': async ({ site }, given) =>
    phaseSaid(await failPhase(site, { phase: phase(given), error: text(given, 'error') ?? '' })),
  'phase-retry': async ({ site }, given) => phaseSaid(await retryPhase(site, { phase: phase(given) })),
  'queue-put': ({ site }, given) =>
    said(
      putInQueue(site, { agent: text(given, 'agent') ?? '', contents: { text: text(given, 'text') ?? '' } }),
      ({ path }) => `Added \`${path}\`.`,
    ),
  'queue-done': ({ site }, given) => finish({ site }, given, 'done'),
  'queue-fail': ({ site }, given) => finish({ site }, given, 'failed'),
};

function finish(
  { site }: Pick<Parameters<Action>[0], 'site'>,
  given: JsonObject,
  as: 'done' | 'failed',
): Result<Said, Problem> {
  const task = text(given, 'task');
  if (task === undefined) return error({ type: 'missing-field', field: 'task' });
  return said(finishTask(site, { task, as }), ({ path }) => `Moved to \`${path}\`.`);
}

function phaseSaid(result: Result<PhaseChanged, Problem>): Result<Said, Problem> {
  return said(result, (changed) => `Phase \`${changed.phase.title}\` is ${changed.phase.status}.`);
}

function name(given: JsonObject): string {
  return text(given, 'name') ?? '';
}

function phase(given: JsonObject): string {
  return text(given, 'phase') ?? '';
}
