/**
 * One task: active → the steps before → the implementation → acceptance → summary → completed → views.
 *
 * T1 The document is read when the task starts, so edits made until then count.
 * T2 Every change of the document sets fixed values, so repeating it changes nothing.
 */
import type { DocumentChange, OrchestrateDurable } from '../../effects/contracts.ts';
import { defined } from '../../model/defined.ts';
import type { Failure } from '../../model/failure.ts';
import { isSafeName, ownerOf, type StepKey, sideKey, stepKey } from '../../model/ids.ts';
import { isJsonObject, type JsonObject, parseJson } from '../../model/json.ts';
import { checkTask } from '../check/check-task.ts';
import { commitMessage } from '../commit-message.ts';
import { withId } from '../document/named-task.ts';
import { figuresByRun, readTask, type Task } from '../document/task.ts';
import type { TaskId } from '../ids.ts';
import { WORKFLOW_FOLDER } from '../layout.ts';
import { roleText } from '../role-text.ts';
import { checkAcceptance, type Proven } from './acceptance.ts';
import { analyseFirst } from './analysis.ts';
import type { Asker } from './asking.ts';
import {
  blockedChanges,
  completedChanges,
  figureChanges,
  historyEntry,
  runChanges,
  setFields,
} from './changes.ts';
import { type Around, implement, workAgain } from './implementation.ts';
import type { TaskCall, TaskOutcome } from './input.ts';
import { openWorktree } from './merge.ts';
import { stepsOf, type TaskSteps } from './outline.ts';
import { reviewWork } from './review.ts';
import { summarise } from './summarise.ts';
import { figuresNow, TASK_KEY, type TaskWork, taskPath, type WorkFailure } from './task-state.ts';

/** Not part of the task's own bookkeeping: changes of an earlier attempt are the task's work too. */
const TREE_KEY = stepKey('tree');
/** Files that this program writes do not count as the task's work. */
const OWN_FOLDERS = [WORKFLOW_FOLDER, '.orchestrate'];

export async function runTask(
  durable: OrchestrateDurable,
  call: TaskCall,
  asker: Asker,
): Promise<TaskOutcome> {
  const read = await readDocument(durable, sideKey(TASK_KEY, 'read'), taskPath(call));
  if ('failure' in read) return outcome(call, { failure: read.failure, again: [TASK_KEY] });
  const { task } = read;
  if (task.status === 'completed') return { status: 'completed', isThere: true, retryKeys: [] };
  const steps = await stepsOf(durable, task);
  const role = await roleOf(durable, call, { task, steps });
  const refused = await setActive(durable, call, task);
  if (refused !== undefined) return outcome(call, refused);
  const opened = call.worktree ? await openWorktree(durable, call) : undefined;
  const state: TaskWork = {
    durable,
    call,
    task,
    steps,
    outputs: {},
    spent: [],
    toGather: [],
    asker,
    ...defined({ role }),
    ...(opened !== undefined && 'cwd' in opened ? { cwd: opened.cwd } : {}),
  };
  const refusedTree = opened !== undefined && 'failure' in opened ? opened : undefined;
  const done = refusedTree ?? read.invalid ?? (await openDependency(state)) ?? (await throughAll(state));
  if ('failure' in done) return block(state, done);
  const rejected = call.review === true && state.cwd !== undefined ? await reviewWork(state) : undefined;
  return rejected === undefined ? complete(state, done) : block(state, rejected, done);
}

/** A task that was created or edited meanwhile may have a role that no other has. */
async function roleOf(
  durable: OrchestrateDurable,
  { roles, isAdded }: TaskCall,
  { task: { agent }, steps }: { readonly task: Task; readonly steps: TaskSteps },
): Promise<string | undefined> {
  const isNew = isAdded || steps.version > 1;
  if (!isNew || roles[agent] !== undefined || !isSafeName(agent)) return roles[agent];
  const path = `.claude/agents/${agent}.md`;
  const { output } = await durable.step(sideKey(TASK_KEY, 'role'), 'read-file', { path });
  return output.text === undefined ? undefined : roleText(output.text);
}

/** A task is started when its dependencies are completed; after it was edited, it may have others. */
async function openDependency({ durable, call, steps }: TaskWork): Promise<WorkFailure | undefined> {
  for (const [index, id] of steps.addedDependencies.entries()) {
    const read = await readDocument(durable, sideKey(TASK_KEY, `added-${index + 1}`), taskPath(call, id));
    if ('task' in read && read.task.status === 'completed') continue;
    const message = `it now depends on \`${id}\`, which is not completed`;
    return { failure: { type: 'invalid-output', reason: 'invalid', message }, again: [TASK_KEY] };
  }
  return undefined;
}

interface Done {
  readonly summary: JsonObject;
}

async function throughAll(state: TaskWork): Promise<WorkFailure | Done> {
  const { durable, call, task } = state;
  const cwd = state.cwd === undefined ? {} : { cwd: state.cwd };
  const before = await durable.step(sideKey(TREE_KEY, 'before'), 'snapshot-tree', {
    ...cwd,
    except: OWN_FOLDERS,
  });
  const analysed = await analyseFirst(state);
  if (analysed !== undefined) return analysed;
  const worked = await workAndProve(state, await lookAround(durable, call, task));
  if ('failure' in worked) return worked;
  const since = before.output.tree;
  const after =
    since === undefined
      ? undefined
      : await durable.step(sideKey(TREE_KEY, afterOf(state)), 'snapshot-tree', {
          ...cwd,
          since,
          except: OWN_FOLDERS,
        });
  const changed = after?.output.files;
  const within = call.alone || call.worktree ? undefined : call.paths;
  const summary = summarise({
    task,
    answers: worked.answers,
    proven: worked.proven,
    ...defined({ changed, within }),
  });
  if (!call.withCommit || call.worktree || since === undefined) return { summary };
  return commitWork(state, summary, { since, ...defined({ until: after?.output.tree }) });
}

/** If it was edited, there is other work to be seen. */
function afterOf({ steps: { version } }: TaskWork): string {
  return version === 1 ? 'after' : `after-${version}`;
}

interface Worked {
  readonly answers: readonly JsonObject[];
  readonly proven: readonly Proven[];
}

/** Rejected work goes back to the agent once, with the reason. */
async function workAndProve(state: TaskWork, around: Around): Promise<WorkFailure | Worked> {
  const first = await implement(state, around);
  if ('failure' in first) return first;
  const checked = await checkAcceptance(state, 1);
  if (!('failure' in checked)) return { ...first, ...checked };
  if (first.last === undefined) return checked;
  const second = await workAgain(state, around, { last: first.last, findings: checked.findings });
  if ('failure' in second) return second;
  const rechecked = await checkAcceptance(state, 2);
  const owner = ownerOf(first.last.key);
  const again = [owner, stepKey(`${owner}#2`), stepKey('acceptance')];
  return 'failure' in rechecked
    ? { failure: rechecked.failure, again }
    : { answers: [...first.answers, ...second.answers], ...rechecked };
}

async function commitWork(
  state: TaskWork,
  summary: JsonObject,
  trees: { readonly since: string; readonly until?: string },
): Promise<WorkFailure | Done> {
  const { durable, task } = state;
  const files = (Array.isArray(summary['files_modified']) ? summary['files_modified'] : [])
    .filter(isJsonObject)
    .filter((file) => file['evidence'] === 'changed' || file['evidence'] === 'unmentioned')
    .map((file) => String(file['path']));
  const key = sideKey(TASK_KEY, 'commit');
  const message = commitMessage(task);
  const { output } = await durable.step(key, 'commit-changes', {
    ...trees,
    message,
    files,
    except: [WORKFLOW_FOLDER],
  });
  if (output.failure !== undefined) return { failure: output.failure, again: [key] };
  const { commit, left } = output;
  return { summary: { ...summary, ...defined({ commit, uncommitted: left }) } };
}

interface ReadDocument {
  readonly task: Task;
  /** It can be shown but not executed. */
  readonly invalid?: WorkFailure;
}

/** T1 */
async function readDocument(
  durable: OrchestrateDurable,
  key: StepKey,
  path: string,
): Promise<ReadDocument | { readonly failure: Failure }> {
  const { output } = await durable.step(key, 'read-file', { path });
  if (output.failure !== undefined) return { failure: output.failure };
  const source = parsed(output.text);
  const task =
    source === undefined ? undefined : readTask(withId(source, path.slice(path.lastIndexOf('/') + 1)));
  if (source === undefined || task === undefined) {
    const message = `\`${path}\` ${output.text === undefined ? 'does not exist' : 'is not a task'}`;
    return { failure: { type: 'invalid-output', reason: 'invalid', message } };
  }
  const [finding] = checkTask(source, { path, text: output.text ?? '' }).filter(
    ({ severity }) => severity !== 'warning',
  );
  if (finding === undefined) return { task };
  const message = `the task is not valid: \`${finding.at.join('.')}\` ${finding.message}`;
  return {
    task,
    invalid: { failure: { type: 'invalid-output', reason: 'invalid', message }, again: [TASK_KEY] },
  };
}

/** Its own and its parent's dependencies; containers are replaced by their subtasks, because they have no results themselves. */
async function lookAround(durable: OrchestrateDurable, call: TaskCall, task: Task): Promise<Around> {
  const read = async (name: string, id: TaskId): Promise<Task | undefined> => {
    const document = await readDocument(durable, sideKey(TASK_KEY, name), taskPath(call, id));
    return 'task' in document ? document.task : undefined;
  };
  const parent = task.parent === undefined ? undefined : await read('parent', task.parent);
  const ids = [...task.dependsOn, ...(parent?.dependsOn ?? [])].flatMap((id) => call.parts?.[id] ?? [id]);
  const dependencies: Task[] = [];
  for (const [index, id] of [...new Set(ids)].entries()) {
    const dependency = await read(`dependency-${index + 1}`, id);
    if (dependency !== undefined) dependencies.push(dependency);
  }
  return { dependencies, ...defined({ parent }) };
}

/** A task is not started unless its document can be set to `active`. */
async function setActive(
  durable: OrchestrateDurable,
  call: TaskCall,
  task: Task,
): Promise<WorkFailure | undefined> {
  const at = await durable.now(sideKey(TASK_KEY, 'began'));
  const key = sideKey(TASK_KEY, 'active');
  const { output } = await durable.step(key, 'update-document', {
    path: taskPath(call),
    changes: [
      ...setFields({
        status: 'active',
        'execution.attempts': task.execution.attempts + 1,
        'execution.last_attempt': at,
        'execution.run_id': call.runId,
        'execution.last_error': undefined,
        'execution.kept_branch': undefined,
      }),
      ...otherFigures(call, task),
      historyEntry(call, { from: task.status, to: 'active', at }),
    ],
  });
  if (output.failure !== undefined) return { failure: output.failure, again: [key] };
  await durable.step(sideKey(TASK_KEY, 'shown'), 'refresh-session', { session: call.session });
  return undefined;
}

/** From now on the document names this run; the figures in it are those of others. */
function otherFigures({ runId }: TaskCall, task: Task): readonly DocumentChange[] {
  const before = figuresByRun(task.execution);
  return Object.keys(before).some((each) => each !== runId) ? runChanges(before) : [];
}

async function complete(state: TaskWork, { summary }: Done): Promise<TaskOutcome> {
  const { durable, call } = state;
  const at = await durable.now(sideKey(TASK_KEY, 'ended'));
  const key = sideKey(TASK_KEY, 'completed');
  const { output } = await durable.step(key, 'update-document', {
    path: taskPath(call),
    changes: [
      ...setFields({ summary }),
      ...figureChanges(figuresNow(state)),
      // With worktrees it is completed only after its work is merged.
      ...(call.worktree ? [] : completedChanges(call, at)),
    ],
  });
  if (output.failure !== undefined) return outcome(call, { failure: output.failure, again: [key] });
  await durable.step(sideKey(TASK_KEY, 'views'), 'refresh-session', { session: call.session });
  return { status: 'completed', retryKeys: [] };
}

/** `done`: a person has rejected the finished work. */
async function block(state: TaskWork, failed: WorkFailure, done?: Done): Promise<TaskOutcome> {
  const { durable, call } = state;
  const { failure } = failed;
  const keptBranch = failure.type === 'rejected' ? failure.branch : undefined;
  const at = await durable.now(sideKey(TASK_KEY, 'ended'));
  await durable.step(sideKey(TASK_KEY, 'blocked'), 'update-document', {
    path: taskPath(call),
    changes: [
      ...(done === undefined ? [] : setFields({ summary: done.summary })),
      ...blockedChanges(call, {
        ...{ at, failure, figures: figuresNow(state) },
        ...defined({ keptBranch }),
      }),
    ],
  });
  await durable.step(sideKey(TASK_KEY, 'views'), 'refresh-session', { session: call.session });
  return outcome(call, failed);
}

/** The task's bookkeeping is repeated along with the failed call. */
function outcome(call: TaskCall, { failure, again }: WorkFailure): TaskOutcome {
  const keys = again.length === 0 ? [] : [TASK_KEY, ...again];
  return { status: 'blocked', failure, retryKeys: keys.map((key) => stepKey(call.id, key)) };
}

function parsed(text: string | undefined): JsonObject | undefined {
  try {
    const value: unknown = parseJson(text ?? '');
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
