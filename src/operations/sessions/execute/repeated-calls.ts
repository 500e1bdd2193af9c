/** Calls of a session's run that are repeated when it is resumed, although their failure did not end it. */
import type { Recorded } from '../../../engine/recorded.ts';
import { ownerOf, type StepKey, sideKey, stepKey } from '../../../model/ids.ts';
import { isJsonObject, type JsonObject, type JsonValue, parseJson } from '../../../model/json.ts';
import type { Task } from '../../../session/document/task.ts';
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
  return [...named.flatMap((id) => failedCalls(recorded, id)), ...editedReads(recorded, tasks)];
}

/** What a blocked task would repeat if its failure had ended the run. */
function failedCalls({ steps, ends }: Recorded, id: TaskId): readonly StepKey[] {
  const output = ends.has(stepKey(id)) ? steps.get(sideKey(stepKey(id), AGAIN))?.output : undefined;
  const keys = isJsonObject(output) ? output['value'] : undefined;
  return Array.isArray(keys) ? (keys as StepKey[]) : [];
}

/** An interrupted task that was edited since is read again, with what it is given; its other results stay. */
function editedReads({ steps, times }: Recorded, tasks: readonly Task[]): readonly StepKey[] {
  const bookkeeping = new Set<StepKey>();
  for (const { id, source, status } of tasks) {
    const own = stepKey(id, TASK_KEY);
    const read = status === 'active' ? steps.get(sideKey(own, 'read'))?.output : undefined;
    const isDone = times.has(sideKey(own, 'ended')) || steps.has(stepKey(id, 'save'));
    if (read !== undefined && !isDone && isEdited(read, source)) bookkeeping.add(own);
  }
  if (bookkeeping.size === 0) return [];
  const again: StepKey[] = [];
  const seen = new Set<string>();
  for (const [key, { effect }] of steps) {
    if (key.includes('/tree@after')) seen.add(ownerOf(key).split('/', 1)[0] ?? '');
    if (bookkeeping.has(ownerOf(key)) && READS.includes(effect)) again.push(key);
  }
  // All its work is done.
  return again.filter((key) => !seen.has(key.split('/', 1)[0] ?? ''));
}

const READS = ['read-file', 'write-file'];

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
