/** Plans a run in which agents work on the tasks of a session. */
import type { RunId } from '../../../model/ids.ts';
import { isJsonObject } from '../../../model/json.ts';
import type { KeptFile } from '../../../model/kept-file.ts';
import { error, ok, type Result } from '../../../model/result.ts';
import { isAdding } from '../../../session/add-tasks.ts';
import type { AgentOptions } from '../../../session/agent-request.ts';
import { changeSession } from '../../../session/document/session-file.ts';
import { EXECUTE_PROGRAM, type ExecuteInput } from '../../../session/execute/input.ts';
import type { SessionId, TaskId } from '../../../session/ids.ts';
import { lastRun, runningProcess } from '../../../session/sessions/live-run.ts';
import { broken, type Session } from '../../../session/sessions/sessions.ts';
import { loadGraph } from '../../../session/sessions/tasks.ts';
import { writeViews } from '../../../session/views/write-views.ts';
import type { Problem } from '../../problem.ts';
import type { Prepared, RunPlan } from '../../run-plan.ts';
import { type ContinuedRun, continueLeftRun } from '../../runs/continue-left-run.ts';
import { planProgram } from '../../runs/plan-program.ts';
import { newRunId } from '../../runs/run-ids.ts';
import type { Site } from '../../site.ts';
import { agentOptions, mayStartAgent, readRoles, type SessionAgent } from '../agent.ts';
import { keptFiles } from '../kept-files.ts';
import { openUnfinished } from '../open-session.ts';
import { sessionDocuments } from '../session-documents.ts';
import { soundTasks } from '../tasks/validate-tasks.ts';
import { mayExecute } from '../trust-tasks.ts';
import { checkWorktrees } from './check-worktrees.ts';
import { type ChosenTasks, chooseTasks, hasStartable } from './choose-tasks.ts';
import { resumeExecution } from './resume-execution.ts';
import { namedTasks } from './select-tasks.ts';

export interface ExecuteTasks extends SessionAgent {
  /** Default: the active session. */
  readonly session?: string | undefined;
  /** Only these tasks. Default: all open ones. */
  readonly tasks?: readonly string[] | undefined;
  /** How many tasks may run in parallel. Default: 1. */
  readonly maxParallel?: number | undefined;
  /** What happens to the other tasks when one is blocked. Default: `stop`. */
  readonly onFailure?: 'stop' | 'continue' | undefined;
  /** Commit each task's files when it completes. */
  readonly withCommit?: boolean | undefined;
  /** Run each task in its own git worktree. */
  readonly worktree?: boolean | undefined;
  /** Ask before the work of a task is merged. Implies `worktree`. */
  readonly review?: boolean | undefined;
  /** The unfinished run that was just resumed and has ended; there may be nothing left to do. */
  readonly after?: RunId | undefined;
}

export type TaskExecution =
  /** Every task is completed. */
  | ({ readonly type: 'nothing' } & Notes)
  /** An unfinished run of the session is resumed first, with its original options. Ask again afterwards. */
  | (Prepared & { readonly type: 'left' } & Notes)
  | (Prepared & { readonly type: 'new' } & Notes);

interface Notes {
  readonly session: SessionId;
  readonly kept: readonly KeptFile[];
  /** Why it is unknown whether the session's last run has ended. */
  readonly unreadable?: Problem;
}

export async function executeTasks(site: Site, asked: ExecuteTasks): Promise<Result<TaskExecution, Problem>> {
  const { tasks: names = [], after } = asked;
  const options = agentOptions(asked);
  if (options.type === 'error') return options;
  const opened = openToExecute(site, asked.session);
  if (opened.type === 'error') return opened;
  const session = opened.value;
  if (after !== undefined && names.length === 0 && !hasStartable(loadGraph(session)))
    return ok({ type: 'nothing', session: session.id, kept: [] });
  const left = await mayBegin(site, session, { options: options.value, after });
  if (left.type === 'error') return left;
  const kept = isAdding(session.paths) ? await finishAdding(session) : [];
  if (left.value.type === 'left') {
    const continued = await continueFor(session, left.value, names);
    return continued.type === 'ok' ? ok({ ...continued.value, session: session.id, kept }) : continued;
  }
  const notes = {
    session: session.id,
    kept,
    ...(left.value.type === 'unreadable' ? { unreadable: left.value.problem } : {}),
  };
  const chosen = chooseTasks(loadGraph(session), names);
  if (chosen.type === 'error') return chosen;
  if (chosen.value === undefined) return ok({ type: 'nothing', ...notes });
  const worktrees = asked.worktree === true || asked.review === true ? checkWorktrees(site) : ok(undefined);
  if (worktrees.type === 'error') return worktrees;
  const plan = planFor(site, session, { ...asked, options: options.value, chosen: chosen.value });
  return ok({ type: 'new', plan, ...notes });
}

/** The session, if it may be executed and no other process is executing it. */
function openToExecute(site: Site, name: string | undefined): Result<Session, Problem> {
  const session = openUnfinished(site, name);
  if (session.type === 'error') return session;
  const running = runningProcess(site.workspace, session.value.file);
  if (running !== undefined) {
    return error({
      type: 'run-of-session-held',
      session: session.value.id,
      runId: running.runId,
      held: running.held,
    });
  }
  const sound = soundTasks(session.value);
  return sound.type === 'ok' ? session : sound;
}

/** Checks that the user trusts the tasks and the agent. Returns the session's unfinished run, if any. */
async function mayBegin(
  site: Site,
  session: Session,
  { options, after }: { readonly options: AgentOptions; readonly after: RunId | undefined },
): Promise<Result<ContinuedRun, Problem>> {
  const tasks = mayExecute(site, session);
  if (tasks.type === 'error') return tasks;
  const agent = mayStartAgent(site, options);
  if (agent.type === 'error') return agent;
  const runId = lastRun(site.workspace, session.file);
  if (runId === undefined || runId === after) return ok({ type: 'none' });
  return continueLeftRun(site, { runId, program: EXECUTE_PROGRAM });
}

type LeftRun = Extract<ContinuedRun, { readonly type: 'left' }>;

/** The tasks may have been edited since. While the run waits for an answer, tasks that are named are tried again in it. */
async function continueFor(
  session: Session,
  left: LeftRun,
  names: readonly string[],
): Promise<Result<LeftRun, Problem>> {
  const named = left.isAsking ? namedTasks(loadGraph(session), names) : ok([]);
  if (named.type === 'error') return named;
  const ids = named.value.map(({ id }) => id);
  const widened = left.isAsking ? await widen(session, left, ids) : ok(undefined);
  if (widened.type === 'error') return widened;
  return ok({ ...left, plan: { ...left.plan, begin: resumeExecution(session, left, ids) } });
}

/** A question holds up only what depends on it: a run of some tasks that waits for an answer executes the others, or those named, too. */
async function widen(
  { paths }: Session,
  { plan: { runId }, input }: LeftRun,
  named: readonly TaskId[],
): Promise<Result<unknown, Problem>> {
  const isOfSome = isJsonObject(input) && input['only'] !== undefined;
  if (!isOfSome) return ok(undefined);
  const noted = await changeSession(paths.session, (file) => {
    const isWidened = file.widened_run === runId;
    const isToAll = named.length === 0 || (isWidened && file.widened_tasks === undefined);
    const before = isWidened ? (file.widened_tasks ?? []) : [];
    const widened_tasks = isToAll ? undefined : [...new Set([...before, ...named])];
    return { ...file, widened_run: runId, widened_tasks };
  });
  return noted.type === 'ok' ? noted : error(broken(noted.error));
}

/** Finishes what a process was doing when it was killed while adding tasks. */
async function finishAdding(session: Session): Promise<readonly KeptFile[]> {
  const finished = await writeViews(session.paths);
  return finished.type === 'ok' ? keptFiles(session, finished.value.kept) : [];
}

function planFor(
  site: Site,
  session: Session,
  asked: ExecuteTasks & { readonly options: AgentOptions; readonly chosen: ChosenTasks },
): RunPlan {
  const {
    options,
    chosen,
    tasks: names = [],
    maxParallel = 1,
    onFailure = 'stop',
    withCommit = false,
    review = false,
    worktree = review,
  } = asked;
  const runId = newRunId(site.workspace);
  const input: ExecuteInput = {
    ...options,
    runId,
    session: session.id,
    folder: session.paths.relative,
    ...(names.length === 0 ? {} : { only: chosen.tasks.map(({ id }) => id) }),
    maxParallel,
    onFailure,
    withCommit,
    worktree: worktree || review,
    ...(review ? { review } : {}),
    roles: readRoles(
      site,
      chosen.tasks.map((task) => task.agent),
    ),
  };
  return planProgram(site, {
    ...{ runId, kind: 'session', program: EXECUTE_PROGRAM, input },
    title: `${session.id}: ${session.file.project}`,
    facts: { session: session.id },
    documents: sessionDocuments(session.paths),
    onlyHere: withCommit ? '`--with-commit`' : input.worktree ? '`--worktree`' : undefined,
  });
}
