import { defined } from '../../model/defined.ts';
import type { JsonObject, JsonValue } from '../../model/json.ts';
import { assignAgent } from '../assign-agent.ts';
import { parentIdOf, parseTaskId, type TaskId } from '../ids.ts';
import type { Task, TaskType } from './task.ts';
import { partOf } from './task-parts.ts';

export interface TaskFields {
  readonly title: string;
  readonly type?: TaskType;
  readonly agent?: string;
  readonly dependsOn?: readonly string[];
  readonly focus?: readonly string[];
  readonly requirements?: readonly string[];
  readonly acceptance?: readonly string[];
}

/** The document of a new task. A subtask inherits its parent's context. */
export function newTask(id: TaskId, fields: TaskFields, parent?: Task): JsonObject {
  const type = fields.type ?? (parent === undefined || parent.type === '' ? 'feature' : parent.type);
  const focus = fields.focus ?? parent?.focusPaths ?? [];
  return {
    id,
    title: fields.title,
    status: 'pending',
    meta: { type, agent: fields.agent ?? assignAgent(fields.title, type) },
    context: {
      requirements: fields.requirements ?? [],
      focus_paths: focus,
      acceptance: fields.acceptance ?? [],
      ...(parent === undefined ? {} : { parent: parent.id }),
      depends_on: fields.dependsOn ?? [],
      ...(parent === undefined ? {} : { inherited: inheritedFrom(parent) }),
      shared_context: parent === undefined ? {} : (parent.sharedContext as JsonValue),
    },
    flow_control: { pre_analysis: [], implementation_approach: {}, target_files: [] },
  };
}

function inheritedFrom(parent: Task): JsonObject {
  const own = [...(parent.inherited?.context ?? []), ...parent.requirements];
  return { from: parent.id, context: own.length === 0 ? [parent.title] : own };
}

/** A task of an imported or planned list: missing optional parts are filled in, existing ones are kept. */
export function completedTask(source: JsonObject, id: TaskId): JsonObject {
  const meta = partOf(source, 'meta');
  const context = partOf(source, 'context');
  const flow = partOf(source, 'flow_control');
  const type = typeof meta['type'] === 'string' ? meta['type'] : 'feature';
  const title = typeof source['title'] === 'string' ? source['title'] : '';
  const parent = parseTaskId(id) === undefined ? undefined : parentIdOf(id);
  return {
    ...source,
    id,
    status: source['status'] ?? 'pending',
    meta: { ...meta, type, agent: meta['agent'] ?? assignAgent(title, type) },
    context: {
      requirements: [],
      focus_paths: [],
      acceptance: [],
      ...defined({ parent }),
      depends_on: [],
      shared_context: {},
      ...withoutNulls(context),
    },
    flow_control: { pre_analysis: [], implementation_approach: {}, target_files: [], ...withoutNulls(flow) },
  };
}

/** Agents that must fill every member of a schema write `null` for those they have no value for. */
function withoutNulls(source: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(source).filter(([, value]) => value !== null)) as JsonObject;
}
