/** Reads the documents of a task and of those around it. Looks at each are recorded. */
import type { OrchestrateDurable } from '../../effects/contracts.ts';
import { defined } from '../../model/defined.ts';
import type { Failure } from '../../model/failure.ts';
import { isSafeName, type StepKey, sideKey } from '../../model/ids.ts';
import { isJsonObject, type JsonObject, parseJson } from '../../model/json.ts';
import { checkTask } from '../check/check-task.ts';
import { withId } from '../document/named-task.ts';
import { readTask, type Task } from '../document/task.ts';
import type { TaskId } from '../ids.ts';
import { roleText } from '../role-text.ts';
import type { Around } from './implementation.ts';
import type { TaskCall } from './input.ts';
import type { TaskSteps } from './outline.ts';
import { TASK_KEY, taskPath, type WorkFailure } from './task-state.ts';

export interface ReadDocument {
  readonly task: Task;
  /** It can be shown but not executed. */
  readonly invalid?: WorkFailure;
}

export async function readDocument(
  durable: OrchestrateDurable,
  key: StepKey,
  path: string,
): Promise<ReadDocument | { readonly isMissing: true } | { readonly failure: Failure }> {
  const { output } = await durable.step(key, 'read-file', { path });
  if (output.failure !== undefined) return { failure: output.failure };
  if (output.text === undefined) return { isMissing: true };
  const source = parsed(output.text);
  const task =
    source === undefined ? undefined : readTask(withId(source, path.slice(path.lastIndexOf('/') + 1)));
  if (source === undefined || task === undefined) {
    const message = `\`${path}\` is not a task`;
    return { failure: { type: 'invalid-output', reason: 'invalid', message } };
  }
  const [finding] = checkTask(source, { path, text: output.text }).filter(
    ({ severity }) => severity !== 'warning',
  );
  if (finding === undefined) return { task };
  const message = `the task is not valid: \`${finding.at.join('.')}\` ${finding.message}`;
  return {
    task,
    invalid: { failure: { type: 'invalid-output', reason: 'invalid', message }, again: [TASK_KEY] },
  };
}

export async function readParent(
  durable: OrchestrateDurable,
  call: TaskCall,
  task: Task,
): Promise<Task | undefined> {
  return task.parent === undefined
    ? undefined
    : readOther(durable, call, { name: 'parent', id: task.parent });
}

/** The results that it builds on; containers are replaced by their subtasks, because they have no results themselves. */
export async function readAround(
  durable: OrchestrateDurable,
  call: TaskCall,
  { steps, parent }: { readonly steps: TaskSteps; readonly parent: Task | undefined },
): Promise<Around> {
  const ids = steps.dependsOn.flatMap((id) => call.parts?.[id] ?? [id]);
  const dependencies: Task[] = [];
  for (const [index, id] of [...new Set(ids)].entries()) {
    const dependency = await readOther(durable, call, { name: `dependency-${index + 1}`, id });
    if (dependency !== undefined) dependencies.push(dependency);
  }
  return { dependencies, ...defined({ parent }) };
}

/** A task is started when its dependencies are completed; after it or its parent was edited, it may have others. */
export async function openDependency(
  durable: OrchestrateDurable,
  call: TaskCall,
  { addedDependencies }: TaskSteps,
): Promise<WorkFailure | undefined> {
  for (const [index, id] of addedDependencies.entries()) {
    const added = await readOther(durable, call, { name: `added-${index + 1}`, id });
    if (added?.status === 'completed') continue;
    const message = `it now depends on \`${id}\`, which is not completed`;
    return { failure: { type: 'invalid-output', reason: 'invalid', message }, again: [TASK_KEY] };
  }
  return undefined;
}

/** A task that was created or edited meanwhile may have a role that no other has. */
export async function readRole(
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

async function readOther(
  durable: OrchestrateDurable,
  call: TaskCall,
  { name, id }: { readonly name: string; readonly id: TaskId },
): Promise<Task | undefined> {
  const document = await readDocument(durable, sideKey(TASK_KEY, name), taskPath(call, id));
  return 'task' in document ? document.task : undefined;
}

function parsed(text: string): JsonObject | undefined {
  try {
    const value: unknown = parseJson(text);
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
