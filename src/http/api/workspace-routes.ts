/** `/w/:ws/…`: lists and screens of one workspace. */
import fs from 'node:fs';
import { resolve, sep } from 'node:path';
import { ok, type Result } from '../../model/result.ts';
import { addUsd } from '../../model/usd.ts';
import { listConversations } from '../../operations/conversations/list-conversations.ts';
import { readHistory } from '../../operations/conversations/read-history.ts';
import { inboxOf } from '../../operations/live/inbox.ts';
import type { RunSummary } from '../../operations/live/run-summary.ts';
import { getPhases } from '../../operations/phases/get-phases.ts';
import { kindOf, type Problem } from '../../operations/problem.ts';
import { listQueue } from '../../operations/queues/list-queue.ts';
import { COSTS_BY, readCosts, readCostTable } from '../../operations/runs/read-costs.ts';
import { readScheduleScreen } from '../../operations/schedules/schedule-data.ts';
import { listWorkflows } from '../../operations/workflows/list-workflows.ts';
import { workflowInputs } from '../../operations/workflows/workflow-inputs.ts';
import { type Answer, given, json, notFound } from '../requests/answer.ts';
import { numberIn, textIn, timeIn } from '../requests/request.ts';
import type { Served } from '../requests/served.ts';
import { answerLoops, answerSessions } from './program-routes.ts';
import { answerRun } from './run-routes.ts';

const DAY_MS = 86_400_000;
const MOST_NOW = 50;

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
      return given(
        await readScheduleScreen(site, { starts: numberIn(query, 'starts', { or: 10, max: 200 }) }),
      );
    case 'workers':
      return site.workers === undefined
        ? json({ workers: [] })
        : given(await site.workers.list(), (workers) => ({ workers }));
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
  const today = timeIn(query, 'today', Number.NaN);
  return json({
    runs: found.slice(0, limit),
    now: all.filter(isNow).slice(0, MOST_NOW),
    ...(Number.isNaN(today) ? {} : { today: spentSince(all, today) }),
    total: found.length,
    all: all.length,
    counts,
    kinds: [...new Set(all.map(({ kind }) => kind))].sort(),
    revision: served.runs.revision,
  });
}

/** What a person may want to see first: it asks, or it is running. */
function isNow({ status, questions }: RunSummary): boolean {
  return status === 'running' || (status === 'waiting' && questions.length > 0);
}

function spentSince(runs: readonly RunSummary[], since: number): object {
  const sum = { agent_calls: 0, cost_usd: 0, unknown_cost_calls: 0 };
  for (const { totals, started_at } of runs) {
    if (Date.parse(started_at) < since) continue;
    sum.agent_calls += totals.agent_calls;
    sum.cost_usd = addUsd(sum.cost_usd, totals.cost_usd);
    sum.unknown_cost_calls += totals.unknown_cost_calls;
  }
  return sum;
}

function isWanted(run: RunSummary, query: URLSearchParams): boolean {
  const status = textIn(query, 'status');
  const kind = textIn(query, 'kind');
  const before = textIn(query, 'before');
  const q = textIn(query, 'q')?.toLowerCase() ?? '';
  const startedAt = Date.parse(run.started_at);
  if (startedAt < timeIn(query, 'since', Number.NEGATIVE_INFINITY)) return false;
  if (startedAt >= timeIn(query, 'until', Number.POSITIVE_INFINITY)) return false;
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
  const of = { days, since: since.toISOString() };
  const by = COSTS_BY.find((each) => each === textIn(query, 'by'));
  if (by === undefined) return json({ ...of, ...readCostTable(site, since) });
  return given(readCosts(site, { since, by }), (costs) => ({ ...of, [by]: costs }));
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
