import { spawnSync } from 'node:child_process';
import { gitArgv } from '../../effects/git-argv.ts';
import { newRunId } from '../../operations/runs/run-ids.ts';
import { soundTasks } from '../../operations/sessions/tasks/validate-tasks.ts';
import { mayExecute } from '../../operations/sessions/trust-tasks.ts';
import { isAdding } from '../../session/add-tasks.ts';
import type { Task } from '../../session/document/task.ts';
import { EXECUTE_PROGRAM, type ExecuteInput } from '../../session/execute/input.ts';
import { planTask } from '../../session/execute/plan-execution.ts';
import { lastRun, runningProcess } from '../../session/live-run.ts';
import { heldProblem, refused } from '../../session/problem.ts';
import type { Session } from '../../session/sessions.ts';
import type { TaskGraph } from '../../session/task-graph.ts';
import { loadGraph } from '../../session/tasks.ts';
import { writeViews } from '../../session/views/write-views.ts';
import type { CliContext } from '../context.ts';
import { EXIT } from '../exit-codes.ts';
import { goOn } from '../go-on.ts';
import { refuse } from '../refuse.ts';
import type { OutputOptions } from '../run-options.ts';
import { siteOf } from '../site.ts';
import { startProgram } from '../start-program.ts';
import { withTrust } from '../trust/with-trust.ts';
import { type AgentFlags, agentOptions, mayStartAgent, readRoles } from './agent-options.ts';
import { renderDryRun } from './dry-run.ts';
import { selectTasks, whyNothing } from './select-tasks.ts';
import { sessionOrTell, tell, tellKept, valueOrTell } from './tell.ts';

export interface ExecuteFlags extends OutputOptions, AgentFlags {
  readonly session?: string;
  readonly maxParallel: number;
  readonly onFailure: 'stop' | 'continue';
  readonly dryRun?: boolean;
  readonly withCommit?: boolean;
  readonly worktree?: boolean;
}

export async function executeSession(
  context: CliContext,
  names: readonly string[],
  flags: ExecuteFlags,
): Promise<void> {
  const session = usableSession(context, flags);
  if (session === undefined) return;
  if (flags.dryRun !== true) {
    const may = await withTrust(context, flags, () => mayExecute(siteOf(context), session));
    if (may === 'not-trusted' || !(await mayStartAgent(context, flags))) {
      context.exitCode = EXIT.usage;
      return;
    }
    const finished = isAdding(session.paths) ? await writeViews(session.paths) : undefined;
    if (finished?.type === 'ok') tellKept(context, session, finished.value.kept);
    const resumed = await goOnWith(context, session, flags);
    if (resumed !== undefined && resumed !== EXIT.done) {
      context.exitCode = resumed;
      return;
    }
    if (resumed === EXIT.done && names.length === 0 && startable(loadGraph(session)).length === 0) return;
  }
  const graph = loadGraph(session);
  const chosen = valueOrTell(context, selectTasks(graph, names));
  if (chosen === undefined) return;
  const input = inputFor(context, { session, graph, chosen, flags });
  if (!input.tasks.some((task) => task.waitsFor.length === 0)) return tellNothing(context, graph);
  if (flags.dryRun === true) return context.out(renderDryRun(session, graph, input));
  if (flags.worktree === true && !canHaveWorktrees(context)) return;
  const { exitCode } = await startProgram(
    context,
    {
      ...{ runId: input.runId, kind: 'session', program: EXECUTE_PROGRAM, input },
      title: `${session.id}: ${session.file.project}`,
      facts: { session: session.id },
    },
    flags,
  );
  context.exitCode = exitCode;
}

/** The session, once it is known that it may be executed and that nobody does it already. */
function usableSession(context: CliContext, flags: ExecuteFlags): Session | undefined {
  const session = sessionOrTell(context, flags.session);
  if (session === undefined) return undefined;
  if (session.isArchived) return tell(context, refused(`session \`${session.id}\` is completed`));
  const running = runningProcess(context.workspace, session.file);
  if (running !== undefined && flags.dryRun !== true) {
    const what = `run \`${running.runId}\` of session \`${session.id}\` is being run by`;
    return tell(context, heldProblem(what, running.held));
  }
  const sound = soundTasks(session);
  if (sound.type === 'ok') return session;
  refuse(context, sound.error);
  return undefined;
}

/** The run of the session that was left unfinished, to its end. Nothing: there is none. */
async function goOnWith(
  context: CliContext,
  session: Session,
  flags: ExecuteFlags,
): Promise<number | undefined> {
  const runId = lastRun(context.workspace, session.file);
  return runId === undefined ? undefined : goOn(context, { runId, program: EXECUTE_PROGRAM }, flags);
}

function startable(graph: TaskGraph): readonly Task[] {
  const chosen = selectTasks(graph, []);
  return chosen.type === 'error'
    ? []
    : chosen.value.filter((task) => planTask(graph, task).waitsFor.length === 0);
}

function inputFor(
  context: CliContext,
  given: {
    readonly session: Session;
    readonly graph: TaskGraph;
    readonly chosen: readonly Task[];
    readonly flags: ExecuteFlags;
  },
): ExecuteInput {
  const { session, graph, chosen, flags } = given;
  return {
    ...agentOptions(flags),
    runId: newRunId(context.workspace),
    session: session.id,
    folder: session.paths.relative,
    tasks: chosen.map((task) => planTask(graph, task)),
    maxParallel: flags.maxParallel,
    onFailure: flags.onFailure,
    withCommit: flags.withCommit === true,
    worktree: flags.worktree === true,
    roles: readRoles(
      context.workspace,
      chosen.map((task) => task.agent),
    ),
  };
}

function tellNothing(context: CliContext, graph: TaskGraph): void {
  const problem = whyNothing(graph);
  if (problem === undefined) {
    context.err('every task is completed: nothing to do\n');
  } else {
    tell(context, problem);
    context.exitCode = EXIT.failed;
  }
}

/** Worktrees begin at the last commit: what is not committed would not be in them. */
function canHaveWorktrees(context: CliContext): boolean {
  const git = (...argv: readonly string[]) => {
    const [program = '', ...rest] = gitArgv(argv);
    return spawnSync(program, rest, { cwd: context.workspace, encoding: 'utf8', env: process.env });
  };
  if (git('rev-parse', '--verify', '--quiet', 'HEAD').status !== 0) {
    tell(context, refused('`--worktree` needs a git repository with a commit'));
    return false;
  }
  const changed = git('status', '--porcelain', '--untracked-files=no', '--', '.', ':(exclude).workflow');
  if (changed.status === 0 && changed.stdout === '') return true;
  tell(context, refused('`--worktree` needs a clean working tree', 'commit or set aside what is changed'));
  return false;
}
