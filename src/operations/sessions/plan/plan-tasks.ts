/** Plans a run in which an agent proposes tasks. */
import { defined } from '../../../model/defined.ts';
import { isJsonObject, type JsonValue } from '../../../model/json.ts';
import { error, ok, type Result } from '../../../model/result.ts';
import type { AgentOptions } from '../../../session/agent-request.ts';
import { readTasks } from '../../../session/document/read-tasks.ts';
import { changeSession } from '../../../session/document/session-file.ts';
import type { Task } from '../../../session/document/task.ts';
import { PLAN_PROGRAM } from '../../../session/execute/input.ts';
import type { SessionId } from '../../../session/ids.ts';
import type { PlanInput } from '../../../session/plan/input.ts';
import { broken, type Session } from '../../../session/sessions/sessions.ts';
import { findTask, loadGraph, whyNotDivided } from '../../../session/sessions/tasks.ts';
import type { Problem } from '../../problem.ts';
import type { Prepared, RunPlan } from '../../run-plan.ts';
import { planProgram } from '../../runs/plan-program.ts';
import type { Site } from '../../site.ts';
import { agentOptions, mayStartAgent, readRoles, type SessionAgent } from '../agent.ts';
import { openSession } from '../open-session.ts';
import { sessionDocuments } from '../session-documents.ts';
import { projectTree } from './project-tree.ts';
import { outlineOf, sessionThere, startFor } from './session-to-plan.ts';

export interface PlanTasks extends SessionAgent {
  /** Default: the active session, or a new one if none is active. */
  readonly session?: string | undefined;
  /** What to plan. */
  readonly request: string;
}

export interface PlanPrepared extends Prepared {
  readonly session: SessionId;
  /** A new session was started for this. */
  readonly isNewSession: boolean;
}

export async function planTasks(site: Site, asked: PlanTasks): Promise<Result<PlanPrepared, Problem>> {
  const { request } = asked;
  if (request.trim() === '') return error({ type: 'empty-request' });
  const options = agentOptions(asked);
  if (options.type === 'error') return options;
  const there = sessionThere(site, asked.session);
  if (there.type === 'error') return there;
  const may = mayStartAgent(site, options.value);
  if (may.type === 'error') return may;
  const session = there.value === undefined ? await startFor(site, request) : ok(there.value);
  if (session.type === 'error') return session;
  const plan = planFor(site, session.value, { options: options.value, request });
  const noted = await noteRun(session.value, plan);
  if (noted.type === 'error') return noted;
  return ok({ session: session.value.id, isNewSession: there.value === undefined, plan });
}

/** So that its cost is known if it is killed: only its end is recorded in the session. */
async function noteRun({ paths }: Session, { runId }: RunPlan): Promise<Result<unknown, Problem>> {
  const noted = await changeSession(paths.session, (file) => ({
    ...file,
    planning_runs: { ...file.planning_runs, [runId]: {} },
  }));
  return noted.type === 'ok' ? noted : error(broken(noted.error));
}

export interface PlanDivision extends SessionAgent {
  readonly session?: string | undefined;
  /** The task to decompose. */
  readonly task: string;
}

export async function planDivision(site: Site, asked: PlanDivision): Promise<Result<Prepared, Problem>> {
  const options = agentOptions(asked);
  if (options.type === 'error') return options;
  const session = openSession(site, asked.session);
  if (session.type === 'error') return session;
  const graph = loadGraph(session.value);
  const found = findTask(graph, asked.task);
  if (found.type === 'error') return found;
  const parent = found.value;
  const problem = whyNotDivided(graph, parent);
  if (problem !== undefined) return error(problem);
  const may = mayStartAgent(site, options.value);
  if (may.type === 'error') return may;
  const request = [parent.title, ...parent.requirements].join('\n');
  const plan = planFor(site, session.value, { options: options.value, request, parent });
  const noted = await noteRun(session.value, plan);
  return noted.type === 'ok' ? ok({ plan }) : noted;
}

function planFor(
  site: Site,
  session: Session,
  asked: { readonly options: AgentOptions; readonly request: string; readonly parent?: Task },
): RunPlan {
  const { options, request, parent } = asked;
  const role = readRoles(site, ['planning-agent'])['planning-agent'];
  const input: PlanInput = {
    ...options,
    session: session.id,
    request,
    tree: projectTree(site),
    existing: readTasks(session.paths).map(outlineOf),
    ...defined({ role }),
    ...(parent === undefined ? {} : { parent: { id: parent.id, source: parent.source } }),
  };
  const title = parent === undefined ? `plan of ${session.id}` : `division of ${parent.id}`;
  const facts = { session: session.id };
  const documents = sessionDocuments(session.paths);
  const plan = planProgram(site, {
    ...{ kind: 'session', title, program: PLAN_PROGRAM, input, facts, documents },
  });
  return { ...plan, addsTasksTo: session.id };
}

/** The ids of the new tasks, from the run's output. */
export function plannedTasks(output: JsonValue | undefined): readonly string[] {
  const made = isJsonObject(output) ? output['tasks'] : undefined;
  return Array.isArray(made) ? made.map(String) : [];
}
