/**
 * One task: active → the steps before → the implementation → acceptance → summary → completed → views.
 *
 * T1 The document is read when the task starts, so edits made until then count; those that end it, too (`still-meant.ts`).
 * T2 Every change of the document sets fixed values, so repeating it changes nothing.
 */
import type { OrchestrateDurable } from '../../effects/contracts.ts';
import { defined } from '../../model/defined.ts';
import { ownerOf, sideKey, stepKey } from '../../model/ids.ts';
import { isJsonObject, type JsonObject } from '../../model/json.ts';
import { commitMessage } from '../commit-message.ts';
import { WORKFLOW_FOLDER } from '../layout.ts';
import { checkAcceptance, type Proven } from './acceptance.ts';
import { analyseFirst } from './analysis.ts';
import type { Asker } from './asking.ts';
import { type Around, implement, workAgain } from './implementation.ts';
import type { TaskCall, TaskOutcome } from './input.ts';
import { block, blocked, complete, type Done, setActive } from './mark-task.ts';
import { openWorktree } from './merge.ts';
import { stepsOf } from './outline.ts';
import { openDependency, readAround, readDocument, readParent, readRole } from './read-task.ts';
import { reviewWork } from './review.ts';
import { isDivided, isGone, isHeld, notMeant } from './still-meant.ts';
import { summarise } from './summarise.ts';
import { TASK_KEY, type TaskWork, TREE_KEY, taskPath, type WorkFailure } from './task-state.ts';

/** Files that this program writes do not count as the task's work. */
const OWN_FOLDERS = [WORKFLOW_FOLDER, '.orchestrate'];

export async function runTask(
  durable: OrchestrateDurable,
  call: TaskCall,
  asker: Asker,
): Promise<TaskOutcome> {
  const read = await readDocument(durable, sideKey(TASK_KEY, 'read'), taskPath(call));
  if ('failure' in read) return blocked(call, { failure: read.failure, again: [TASK_KEY] });
  if ('isMissing' in read) return notMeant(call, 'removed');
  const { task } = read;
  if (task.status === 'completed') return { status: 'completed', isThere: true, retryKeys: [] };
  if (await isDivided(durable, call, task)) return notMeant(call, 'divided');
  const parent = await readParent(durable, call, task);
  const steps = await stepsOf(durable, task, parent);
  const role = await readRole(durable, call, { task, steps });
  const active = await setActive(durable, call, task);
  if ('failure' in active) return isGone(active.failure) ? notMeant(call, 'removed') : blocked(call, active);
  if (isHeld(task, active.document)) return notMeant(call, 'held');
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
    ...defined({ role, parent }),
    ...(opened !== undefined && 'cwd' in opened ? { cwd: opened.cwd } : {}),
  };
  const refusedTree = opened !== undefined && 'failure' in opened ? opened : undefined;
  const done =
    refusedTree ?? read.invalid ?? (await openDependency(durable, call, steps)) ?? (await throughAll(state));
  if ('failure' in done) return block(state, done);
  const rejected = call.review === true && state.cwd !== undefined ? await reviewWork(state) : undefined;
  return rejected === undefined ? complete(state, done) : block(state, rejected, done);
}

async function throughAll(state: TaskWork): Promise<WorkFailure | Done> {
  const { durable, call, task, steps, parent } = state;
  const cwd = state.cwd === undefined ? {} : { cwd: state.cwd };
  const before = await durable.step(sideKey(TREE_KEY, 'before'), 'snapshot-tree', {
    ...cwd,
    except: OWN_FOLDERS,
  });
  const analysed = await analyseFirst(state);
  if (analysed !== undefined) return analysed;
  const worked = await workAndProve(state, await readAround(durable, call, { steps, parent }));
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
