/** `/w/:ws/…`: lists and screens of one workspace. */
import fs from 'node:fs';
import { resolve, sep } from 'node:path';
import { ok, type Result } from '../../model/result.ts';
import { listConversations } from '../../operations/conversations/list-conversations.ts';
import { readHistory } from '../../operations/conversations/read-history.ts';
import { inboxOf } from '../../operations/live/inbox.ts';
import type { RunSummary } from '../../operations/live/run-summary.ts';
import { getPhases } from '../../operations/phases/get-phases.ts';
import { kindOf, type Problem } from '../../operations/problem.ts';
import { listQueue } from '../../operations/queues/list-queue.ts';
import { COSTS_BY, type CostsBy, readCosts } from '../../operations/runs/read-costs.ts';
import { readScheduleScreen } from '../../operations/schedules/schedule-data.ts';
import { listWorkflows } from '../../operations/workflows/list-workflows.ts';
import { workflowInputs } from '../../operations/workflows/workflow-inputs.ts';
import { type Answer, given, json, notFound } from '../requests/answer.ts';
import { numberIn, textIn } from '../requests/request.ts';
import type { Served } from '../requests/served.ts';
import { answerLoops, answerSessions } from './program-routes.ts';
import { answerRun } from './run-routes.ts';

const DAY_MS = 86_400_000;

export async function answerWorkspace(
  served: Served,
  parts: readonly string[],
  query: URLSearchParams,
): Promise<Answer> {
  const [what, id] = parts;
  const { site } = served;
  switch (what) {
    case 'runs':
      return id === undefined ? answerRuns(served, query) : answerRun(served, parts.slice(1), query);
    case 'inbox':
      await served.runs.refresh();
      return json({ items: inboxOf(site, served.runs.list()) });
    case 'workflows':
      return id === undefined ? json({ workflows: listWorkflows(site) }) : given(workflowInputs(site, id));
    case 'costs':
      return answerCosts(served, query);
    case 'loops':
      return answerLoops(site, parts.slice(1), query);
    case 'sessions':
      return answerSessions(site, parts.slice(1));
    case 'phases':
      return given(orNothing<unknown>(getPhases(site), { document: null, todos: [] }));
    case 'conversations': {
      const dir = textIn(query, 'dir') ?? '.';
      if (!isInside(site.workspace, dir)) return notFound('address');
      return id === undefined
        ? given(orNothing(listConversations(site, dir), []), (found) => ({ conversations: found }))
        : given(readHistory(site, { dir, session: id }));
    }
    case 'queues':
      return answerQueues(served);
    case 'schedule':
      return given(readScheduleScreen(site, { starts: numberIn(query, 'starts', { or: 10, max: 200 }) }));
    default:
      return notFound('address');
  }
}

/** S8: a folder of a conversation is one of the workspace, also behind links. One that does not exist has no conversations. */
function isInside(workspace: string, dir: string): boolean {
  if (dir.includes('\0')) return false;
  const root = realPath(workspace);
  const found = realPath(resolve(workspace, dir));
  return found === root || found.startsWith(`${root}${sep}`);
}

function realPath(path: string): string {
  try {
    return fs.realpathSync(path);
  } catch {
    return resolve(path);
  }
}

async function answerRuns(served: Served, query: URLSearchParams): Promise<Answer> {
  await served.runs.refresh();
  const all = served.runs.list();
  const limit = numberIn(query, 'limit', { or: 50, max: 500 });
  const found = all.filter((run) => isWanted(run, query));
  const counts: { [status: string]: number } = {};
  for (const { status } of all) counts[status] = (counts[status] ?? 0) + 1;
  return json({
    runs: found.slice(0, limit),
    total: found.length,
    all: all.length,
    counts,
    kinds: [...new Set(all.map(({ kind }) => kind))].sort(),
    revision: served.runs.revision,
  });
}

function isWanted(run: RunSummary, query: URLSearchParams): boolean {
  const status = textIn(query, 'status');
  const kind = textIn(query, 'kind');
  const before = textIn(query, 'before');
  const q = textIn(query, 'q')?.toLowerCase() ?? '';
  if (status !== undefined && run.status !== status) return false;
  if (kind !== undefined && run.kind !== kind) return false;
  if (before !== undefined && run.run_id >= before) return false;
  if (q === '') return true;
  const { run_id, title, line, workflow_file, error } = run;
  return [run_id, title, line, workflow_file, error?.message, error?.step].some(
    (text) => text?.toLowerCase().includes(q) === true,
  );
}

function answerCosts({ site }: Served, query: URLSearchParams): Answer {
  const days = numberIn(query, 'days', { or: 30, max: 3650 });
  const since = new Date(site.now().getTime() - days * DAY_MS);
  const wanted = textIn(query, 'by');
  const by: readonly CostsBy[] = COSTS_BY.filter((each) => wanted === undefined || each === wanted);
  const all: { [by: string]: unknown } = {};
  for (const each of by) {
    const costs = readCosts(site, { since, by: each });
    if (costs.type === 'ok') all[each] = costs.value;
  }
  return json({ days, since: since.toISOString(), ...all });
}

function answerQueues({ site }: Served): Answer {
  const waiting = orNothing(listQueue(site, {}), []);
  const taken = orNothing(listQueue(site, { taken: true }), []);
  return given(waiting, (tasks) => ({ waiting: tasks, taken: taken.type === 'ok' ? taken.value : [] }));
}

/** A workspace without any is not a problem: the screen shows the command that makes the first one. */
function orNothing<Value>(result: Result<Value, Problem>, nothing: Value): Result<Value, Problem> {
  const isMissing = result.type === 'error' && kindOf(result.error) === 'not-found';
  return isMissing ? ok(nothing) : result;
}
