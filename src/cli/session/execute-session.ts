import { isJsonObject, type JsonValue } from '../../model/json.ts';
import { withTypedCommands } from '../../model/typed-command.ts';
import { unreachable } from '../../model/unreachable.ts';
import { type ExecuteTasks, executeTasks } from '../../operations/sessions/execute/execute-tasks.ts';
import { leftTasks } from '../../operations/sessions/execute/left-tasks.ts';
import { previewExecution } from '../../operations/sessions/execute/preview-execution.ts';
import { listTasks } from '../../operations/sessions/tasks/list-tasks.ts';
import type { CliContext } from '../context.ts';
import { EXIT } from '../exit-codes.ts';
import { refuse } from '../refuse.ts';
import type { DetachOption, EngineOption, OutputOptions } from '../run-options.ts';
import { type CarriedOut, carryOutHere } from '../running/carry-out.ts';
import { siteOf } from '../site.ts';
import { withTrust } from '../trust/with-trust.ts';
import { type AgentFlags, sessionAgent } from './agent-options.ts';
import { renderDryRun } from './dry-run.ts';
import { renderLeft } from './render-left.ts';
import { sayChanged } from './say-changed.ts';

export interface ExecuteFlags extends OutputOptions, DetachOption, EngineOption, AgentFlags {
  readonly session?: string;
  readonly maxParallel: number;
  readonly onFailure: 'stop' | 'continue';
  readonly dryRun?: boolean;
  readonly withCommit?: boolean;
  readonly worktree?: boolean;
  readonly review?: boolean;
}

export async function executeSession(
  context: CliContext,
  tasks: readonly string[],
  flags: ExecuteFlags,
): Promise<number> {
  const { session, maxParallel, onFailure, withCommit, worktree, review } = flags;
  const asked = {
    ...sessionAgent(flags),
    ...{ session, tasks, maxParallel, onFailure, withCommit, worktree, review },
  };
  return flags.dryRun === true ? preview(context, asked) : execute(context, asked, flags);
}

/** Resumes an unfinished run first, then executes the rest. */
async function execute(context: CliContext, asked: ExecuteTasks, flags: ExecuteFlags): Promise<number> {
  const prepared = await withTrust(context, flags, () => executeTasks(siteOf(context), asked));
  if (prepared === 'not-trusted') return EXIT.usage;
  if (prepared.type === 'error') return refuse(context, prepared.error);
  const execution = prepared.value;
  const { kept, unreadable } = execution;
  sayChanged(context, { kept });
  const exitCode = unreadable === undefined ? EXIT.done : refuse(context, unreadable);
  switch (execution.type) {
    case 'nothing':
      if (asked.after === undefined) sayNothingToDo(context, asked);
      return exitCode === EXIT.done
        ? sayLeft(context, { ...asked, session: execution.session }, { ...flags, exitCode })
        : exitCode;
    case 'left': {
      const { runId } = execution.plan;
      if (flags.quiet !== true) context.err(`resuming run ${runId} with the options it was started with\n`);
      const resumed = await carryOutHere(context, execution, { output: flags });
      if (flags.detach === true) return resumed.exitCode;
      return resumed.exitCode === EXIT.done && !isPaused(resumed.end?.output)
        ? execute(context, { ...asked, after: runId }, flags)
        : sayLeft(context, { ...asked, session: execution.session }, { ...flags, ...resumed });
    }
    case 'new': {
      const ended = await carryOutHere(context, execution, { output: flags });
      return flags.detach === true
        ? ended.exitCode
        : sayLeft(context, { ...asked, session: execution.session }, { ...flags, ...ended });
    }
    default:
      return unreachable(execution);
  }
}

interface Ended extends Pick<CarriedOut, 'isElsewhere'> {
  readonly exitCode: number;
  readonly end?: { readonly output?: JsonValue | undefined } | undefined;
  readonly quiet?: boolean;
  readonly json?: boolean;
}

/** Names what is not done: a run that leaves blocked tasks has failed, one that leaves others waits for the user. */
function sayLeft(
  context: CliContext,
  asked: ExecuteTasks,
  { exitCode, end, isElsewhere, quiet, json }: Ended,
): number {
  if (isElsewhere === true) return exitCode === EXIT.done ? codeOfLeft(end?.output) : exitCode;
  if (![EXIT.done, EXIT.failed, EXIT.waiting].some((code) => code === exitCode)) return exitCode;
  const left = leftTasks(siteOf(context), asked);
  if (left.type === 'error' || left.value.tasks.length === 0) return exitCode;
  if (quiet !== true && json !== true) context.err(renderLeft(left.value.tasks, isPaused(end?.output)));
  if (exitCode !== EXIT.done) return exitCode;
  return left.value.hasBlocked ? EXIT.failed : EXIT.waiting;
}

/** The tasks here do not know of it yet. */
function codeOfLeft(output: JsonValue | undefined): number {
  const isEmpty = (value: JsonValue | undefined): boolean => !Array.isArray(value) || value.length === 0;
  if (!isJsonObject(output) || (isEmpty(output['blocked']) && isEmpty(output['waiting']))) return EXIT.done;
  return isEmpty(output['blocked']) ? EXIT.waiting : EXIT.failed;
}

function isPaused(output: JsonValue | undefined): boolean {
  return isJsonObject(output) && output['paused'] === true;
}

function preview(context: CliContext, asked: ExecuteTasks): number {
  const previewed = previewExecution(siteOf(context), asked);
  if (previewed.type === 'error') return refuse(context, previewed.error);
  if (previewed.value === undefined) sayNothingToDo(context, asked);
  else context.out(renderDryRun(previewed.value));
  return EXIT.done;
}

function sayNothingToDo(context: CliContext, { session, tasks = [] }: ExecuteTasks): void {
  if (tasks.length > 0) {
    context.err(
      `${tasks.join(', ')} ${tasks.length === 1 ? 'is' : 'are'} already completed: nothing to do\n`,
    );
    return;
  }
  const listed = listTasks(siteOf(context), { session });
  const isEmpty = listed.type === 'ok' && listed.value.isEmpty;
  context.err(
    isEmpty
      ? withTypedCommands(
          'the session has no tasks; add some with `orchestrate plan` or `orchestrate task create`\n',
        )
      : 'all tasks are already completed: nothing to do\n',
  );
}
