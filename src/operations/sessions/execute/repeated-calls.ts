/** Calls of a session's run that are repeated when it is resumed, although their failure did not end it. */
import type { Recorded } from '../../../engine/recorded.ts';
import { ownerOf, type StepKey, sideKey, stepKey } from '../../../model/ids.ts';
import { isJsonObject, type JsonObject, type JsonValue, parseJson } from '../../../model/json.ts';
import type { Task } from '../../../session/document/task.ts';
import { createTaskGraph, isLeaf, type TaskGraph } from '../../../session/document/task-graph.ts';
import { AGAIN } from '../../../session/execute/output.ts';
import { TASK_KEY } from '../../../session/execute/task-state.ts';
import type { TaskId } from '../../../session/ids.ts';
import { canonicalJson } from '../../../store/digest.ts';

/** `named`: tasks to try again. */
export function repeatedCalls(
  recorded: Recorded,
  tasks: readonly Task[],
  named: readonly TaskId[] = [],
): readonly StepKey[] {
  const graph = createTaskGraph(tasks);
  const again = new Set(named);
  for (const { id, status } of graph.tasks) if (status === 'pending' && isLeaf(graph, id)) again.add(id);
  const failed = [...again].flatMap((id) => failedCalls(recorded, graph.byId.get(id)));
  return [...failed, ...changedReads(recorded, graph)];
}

/** What a task that failed in this run repeats: the user has named it, or opened it again. */
function failedCalls({ steps, ends }: Recorded, task: Task | undefined): readonly StepKey[] {
  if (task === undefined) return [];
  const { id, status, execution } = task;
  const output = ends.has(stepKey(id)) ? steps.get(sideKey(stepKey(id), AGAIN))?.output : undefined;
  const value = isJsonObject(output) ? output['value'] : undefined;
  const keys = Array.isArray(value) ? (value as StepKey[]) : [];
  // Its work could not be merged and was discarded: it is done again in another run.
  const isUnmerged = !keys.some((key) => key === stepKey(id, TASK_KEY));
  if (keys.length === 0 || (status === 'pending' && isUnmerged)) return [];
  const worktree = stepKey(id, 'worktree');
  const isDiscarded = execution.keptBranch === undefined && keys.includes(stepKey(id, 'review'));
  return [...keys, ...(steps.has(worktree) ? [worktree] : []), ...(isDiscarded ? [stepKey(id, 'tree')] : [])];
}

/** An interrupted task that was changed since is read again, with what it is given; its other results stay. */
function changedReads(recorded: Recorded, graph: TaskGraph): readonly StepKey[] {
  const changed = new Map<string, Change>();
  const hasWorked = new Set<string>();
  for (const [key] of recorded.steps) {
    const [id = '', rest = ''] = key.split('/');
    if (rest.startsWith('tree@after')) hasWorked.add(id);
    const change = rest === 'task@read' ? changeOf(recorded, graph, id as TaskId) : undefined;
    if (change !== undefined) changed.set(id, change);
  }
  // All its work is done.
  for (const [id, change] of changed) if (change !== 'ended' && hasWorked.has(id)) changed.delete(id);
  if (changed.size === 0) return [];
  const again: StepKey[] = [];
  for (const [key, { effect }] of recorded.steps) {
    const [id = ''] = key.split('/');
    if (!changed.has(id) || ownerOf(key) !== stepKey(id, TASK_KEY)) continue;
    if (READS.includes(effect) || (changed.get(id) === 'reset' && STARTS.includes(effect))) again.push(key);
  }
  return again;
}

/** `ended`: it was removed, divided or done by the user or another process. `reset`: it is not active any more, but to be executed. */
type Change = 'ended' | 'reset' | 'edited';

/** Undefined: none, or the run has ended the task itself. */
function changeOf({ steps, times, ends }: Recorded, graph: TaskGraph, id: TaskId): Change | undefined {
  if (ends.has(stepKey(id))) return undefined;
  const own = stepKey(id, TASK_KEY);
  const task = graph.byId.get(id);
  if (task === undefined || !isLeaf(graph, id)) return 'ended';
  if (times.has(sideKey(own, 'ended'))) return undefined;
  if (task.status === 'completed') return 'ended';
  if (steps.has(stepKey(id, 'save'))) return undefined;
  const isBegun = steps.has(sideKey(own, 'active'));
  if (isBegun && task.status === 'pending') return 'reset';
  const isChanged = isBegun && task.status !== 'active';
  return isChanged || isEdited(steps.get(sideKey(own, 'read'))?.output ?? null, task.source)
    ? 'edited'
    : undefined;
}

const READS = ['read-file', 'find-files', 'write-file'];
const STARTS = ['update-document', 'refresh-session'];

function isEdited(read: JsonValue, now: JsonObject): boolean {
  const text = isJsonObject(read) ? read['text'] : undefined;
  if (typeof text !== 'string') return false;
  try {
    const before: unknown = parseJson(text);
    return isJsonObject(before) && canonicalJson(written(before)) !== canonicalJson(written(now));
  } catch {
    return true;
  }
}

/** Without what runs write into it. */
function written(document: JsonObject): JsonObject {
  const {
    id: _id,
    status: _status,
    execution: _runs,
    status_history: _changes,
    summary: _summary,
    ...rest
  } = document;
  return rest;
}
