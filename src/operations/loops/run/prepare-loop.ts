/** Plans the run of a workspace's loop from its settings: a new run, or the last one if it was interrupted. */
import { dirname } from 'node:path';
import { LoopTally } from '../../../iterate/events/loop-tally.ts';
import { type CountedBefore, ITERATE_PROGRAM, type IterateInput } from '../../../iterate/input.ts';
import { OUTPUT_LEVELS, type OutputLevel } from '../../../iterate/mode.ts';
import { combined, onlyGiven, type RunOptions } from '../../../iterate/run-options.ts';
import { parseChange } from '../../../iterate/workspace/change.ts';
import { readTextIfThere } from '../../../iterate/workspace/workspaces.ts';
import { defined } from '../../../model/defined.ts';
import { isSameJson, type JsonObject, type JsonValue } from '../../../model/json.ts';
import { error, ok, type Result } from '../../../model/result.ts';
import { type NotifyFormat, notifyTarget } from '../../../notify/render-request.ts';
import { escapeGlob } from '../../../store/glob-pattern.ts';
import { localPath } from '../../../store/portable-path.ts';
import type { Problem } from '../../problem.ts';
import type { Prepared, RunDocuments } from '../../run-plan.ts';
import { isOfWorkers, onWorkersIf } from '../../runs/of-workers.ts';
import { eventsOf, type ReadRun } from '../../runs/read-run.ts';
import { newRunId } from '../../runs/run-ids.ts';
import type { Site } from '../../site.ts';
import { mayResume } from '../../trust/own-run.ts';
import { permissionsOf } from '../site/agent.ts';
import { type OpenedWorkspace, openLoop, openWorkspace } from '../site/find-loop.ts';
import { type OfLoop, openSettings } from '../site/loops.ts';
import { againText } from './again.ts';
import { checkSurroundings } from './check-surroundings.ts';
import { findLeftRun, inputOf, optionsOf } from './left-run.ts';
import { continuedInput, type GivenForRun, iterateInput } from './loop-input.ts';
import { openTask, type Task } from './task.ts';

export type { RunOptions } from '../../../iterate/run-options.ts';

export type RunLoop = OfLoop &
  GivenForRun & {
    /** Its programs are those of the workers. */
    readonly onWorkers?: boolean;
  };

/** Resumes the workspace's last run if it was interrupted. */
export function prepareLoop(site: Site, asked: RunLoop): Result<Prepared, Problem> {
  const { level } = asked;
  if (level !== undefined && !(OUTPUT_LEVELS as readonly string[]).includes(level))
    return error({ type: 'invalid-output-level', level });
  const opened = openLoop(site, asked);
  if (opened.type === 'error') return opened;
  const { workspace } = opened.value;
  const left = asked.isDry === true ? {} : findLeftRun(site, workspace.metadata);
  const isOwn = left.run === undefined || isOfWorkers(left.run.started);
  const may = isOwn ? ok(undefined) : mayResume(site, left.run);
  if (may.type === 'error') return may;
  const kept = left.run === undefined ? {} : keptBy(workspace, left.run);
  const { isDry } = asked;
  const onWorkers = asked.onWorkers === true || (left.run !== undefined && isOfWorkers(left.run.started));
  const task = openTask(site, workspace, { ...combined(kept, asked), level, isDry }, { onWorkers });
  if (task.type === 'error') return task;
  const problem = unsendable(task.value);
  if (problem !== undefined) return error(problem);
  const notes =
    left.damage === undefined
      ? []
      : [`warning: cannot resume the last run: ${left.damage}; starting a new one`];
  return plan(site, task.value, {
    ...{ notes, onWorkers },
    takesUpLast: asked.isDry !== true,
    ...defined({ earlier: left.run, workspacesDir: asked.settings?.workspacesDir }),
  });
}

/** Resumes a run given by id, as `prepareLoop` would, even if it failed. */
export function resumeLoop(site: Site, run: ReadRun): Result<Prepared, Problem> {
  const input = inputOf(run);
  const loops = openSettings(site, {
    settings: { workspacesDir: dirname(localPath(site.workspace, input.workspacePath)) },
  });
  if (loops.type === 'error') return loops;
  const workspace = openWorkspace(loops.value, input.name);
  if (workspace.type === 'error') return workspace;
  const onWorkers = isOfWorkers(run.started);
  const given = { ...keptBy(workspace.value, run), isDry: input.dryRun };
  const task = openTask(site, workspace.value, given, { onWorkers });
  if (task.type === 'error') return task;
  const problem = unsendable(task.value);
  if (problem !== undefined) return error(problem);
  return plan(site, task.value, { notes: [], takesUpLast: false, earlier: run, onWorkers });
}

interface Beginning {
  readonly onWorkers: boolean;
  readonly notes: readonly string[];
  readonly takesUpLast: boolean;
  /** The run to resume. */
  readonly earlier?: ReadRun;
  /** As the user gave it. */
  readonly workspacesDir?: string;
}

function plan(
  site: Site,
  task: Task,
  { notes, takesUpLast, earlier, workspacesDir, onWorkers }: Beginning,
): Result<Prepared, Problem> {
  const runId = earlier?.runId ?? newRunId(site.workspace);
  const made = iterateInput({ ...task, runId });
  if (made.type === 'error') return made;
  const setSeen = parseChange(readTextIfThere(task.workspace.paths.set), runId)?.at;
  const now = { ...made.value, ...defined({ setSeen }) };
  const input = earlier === undefined ? now : continued(earlier, task.workspace, now);
  const surroundings = checkSurroundings(site, input, { onWorkers });
  if (surroundings.type === 'error') return surroundings;
  const change = { input: input as unknown as JsonValue, facts: factsOf(input) };
  const { name, mode, maxIterations, stagnationThreshold } = input;
  const { folder } = task.workspace.paths;
  const isJudgedTheSame = isSameJson(judgedBy(input), judgedBy(made.value));
  return ok({
    plan: {
      runId,
      workspace: site.workspace,
      kind: 'iterate',
      title: name,
      begin:
        earlier === undefined
          ? { type: 'new', program: ITERATE_PROGRAM, ...change }
          : { type: 'resume', change },
      secrets: [],
      ...(earlier === undefined ? {} : onWorkersIf(earlier.started)),
      documents: documentsOf(input),
      ...defined({ onlyHere: onlyHereOf(input) }),
      hold: { type: 'loop', name, folder: input.workspacePath, purpose: 'loop', takesUpLast },
    },
    ...(earlier === undefined ? {} : { earlier: eventsOf(earlier) }),
    notes: [
      ...notes,
      ...surroundings.value,
      ...(isJudgedTheSame
        ? []
        : ['warning: this run keeps the checks and verification settings it was started with']),
      ...(earlier === undefined ? [] : changedInstructions(soFar(earlier), input)),
    ],
    loop: {
      ...{ name, folder, mode, maxIterations, stagnationThreshold },
      level: task.config.get<OutputLevel>('outputLevel'),
      colors: task.config.get<boolean>('colors'),
      agent: task.agent,
      isDry: task.given.isDry === true,
      permissions: permissionsOf(task.agent, { ...task.given, asks: (input.ask ?? []).length > 0 }),
      again: {
        asNew: againText({ name, workspacesDir, options: onlyGiven(task.given) }),
        toResume: againText({ name, workspacesDir }),
        runId,
      },
    },
  });
}

/** What the loop has done so far is kept: the agent was asked for something else. */
function changedInstructions(
  before: { readonly input: IterateInput; readonly iterations: number },
  now: IterateInput,
): readonly string[] {
  if (before.iterations === 0 || before.input.instructions === now.instructions) return [];
  const done = before.iterations === 1 ? 'the first iteration' : `the first ${before.iterations} iterations`;
  return [`the instructions have changed; the results of ${done} are kept`];
}

/** Its options, with what was changed while it ran. */
function keptBy({ paths }: OpenedWorkspace, run: ReadRun): RunOptions {
  const input = inputOf(run);
  const change = parseChange(readTextIfThere(paths.set), run.runId);
  if (change === undefined || change.at <= (input.setSeen ?? '')) return optionsOf(input);
  const { maxIterations, delay, stagnationThreshold, budget } = change;
  return combined(optionsOf(input), { maxIterations, delay, stagnationThreshold, budget });
}

function continued(earlier: ReadRun, { metadata }: OpenedWorkspace, now: IterateInput): IterateInput {
  const before = soFar(earlier);
  // Other runs have counted since, or the counters were reset.
  const isOvertaken = metadata.run?.id !== earlier.runId;
  const countedBefore = isOvertaken ? without(metadata, before.iterations) : before.input.countedBefore;
  return { ...continuedInput(before, now), ...defined({ countedBefore }) };
}

function without(counted: CountedBefore, iterations: number): CountedBefore {
  return {
    totalIterations: counted.totalIterations - iterations,
    executionIterations: counted.executionIterations - iterations,
  };
}

function soFar(earlier: ReadRun): { readonly input: IterateInput; readonly iterations: number } {
  const input = inputOf(earlier);
  const tally = new LoopTally(input);
  for (const event of eventsOf(earlier)) tally.apply(event);
  return { input, iterations: tally.done };
}

/** Refuses a notify URL that cannot be used. */
function unsendable({ config }: Task): Problem | undefined {
  const url = config.get<string | undefined>('notifyUrl');
  const target = url === undefined ? undefined : notifyTarget(url, config.get<NotifyFormat>('notify.format'));
  return target?.type === 'error' ? { type: 'invalid-notify-url', reason: target.error } : undefined;
}

/** The lock is that of the process that runs it. */
function documentsOf({ workspacePath }: IterateInput): RunDocuments {
  const below = escapeGlob(workspacePath);
  return { folder: workspacePath, files: [`${below}/**`], except: [`${below}/.lock*`] };
}

function onlyHereOf({ git }: IterateInput): string | undefined {
  if (git?.worktree === true) return '`--worktree`';
  if (git?.branch !== undefined) return '`--branch`';
  return git?.checkpoint === true ? '`--checkpoint`' : undefined;
}

function judgedBy({ checks, verification }: IterateInput): object {
  return { checks, verification };
}

function factsOf(input: IterateInput): JsonObject {
  return {
    ...{ iterate_workspace: input.workspacePath, mode: input.mode, max_iterations: input.maxIterations },
    ...(input.dryRun === true ? { dry_run: true } : {}),
  };
}
