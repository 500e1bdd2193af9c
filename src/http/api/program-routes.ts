/** `/w/:ws/loops/…` and `/w/:ws/sessions/…`. */
import { diffLoop } from '../../operations/loops/git/diff-loop.ts';
import { listLoops } from '../../operations/loops/list-loops.ts';
import { listQueue } from '../../operations/loops/queue/change-queue.ts';
import { type ReadLoop, readLoop } from '../../operations/loops/read-loop.ts';
import { reportLoops } from '../../operations/loops/report-loops.ts';
import { listSessions } from '../../operations/sessions/list-sessions.ts';
import { readSession, sessionSummary } from '../../operations/sessions/read-session.ts';
import { getTask } from '../../operations/sessions/tasks/get-task.ts';
import { diffTask } from '../../operations/sessions/tasks/review-task.ts';
import type { Site } from '../../operations/site.ts';
import { type Answer, given, json, notFound, problem } from '../requests/answer.ts';
import { numberIn } from '../requests/request.ts';

/** `parts` are those after `/loops`. */
export async function answerLoops(
  site: Site,
  [name, aspect]: readonly string[],
  query: URLSearchParams,
): Promise<Answer> {
  if (name === undefined) return answerLoopList(site);
  if (aspect === 'diff') {
    const iteration = numberIn(query, 'iteration', { or: 0, max: 1_000_000 });
    const diff = await diffLoop(site, { name, ...(iteration === 0 ? {} : { iteration }) });
    return given(diff, (patch) => ({ patch }));
  }
  if (aspect !== undefined) return notFound('address');
  return given(readLoop(site, { name }), (loop) => loopData(site, name, loop));
}

function answerLoopList(site: Site): Answer {
  const loops = listLoops(site, {});
  if (loops.type === 'error') return problem(loops.error);
  const queue = listQueue(site, {});
  if (queue.type === 'error') return problem(queue.error);
  const { found, unreadable } = loops.value;
  return json({ loops: found, unreadable, queue: queue.value });
}

/** A loop that has not been run has no report. */
function loopData(site: Site, name: string, { status, ...loop }: ReadLoop): object {
  const reports = reportLoops(site, { names: [name], startedOnly: true });
  return {
    ...loop,
    status: status?.type === 'ok' ? status.value : null,
    report: reports.type === 'ok' ? (reports.value[0] ?? null) : null,
  };
}

/** `parts` are those after `/sessions`. */
export function answerSessions(site: Site, [session, what, task, aspect]: readonly string[]): Answer {
  if (session === undefined) return given(listSessions(site));
  if (what === undefined) return given(readSession(site, { session }), (read) => sessionSummary(read));
  if (what !== 'tasks' || task === undefined) return notFound('address');
  if (aspect === 'diff') return given(diffTask(site, { session, task }), (diffs) => ({ diffs }));
  return given(getTask(site, { session, task }), ({ document }) => document);
}
