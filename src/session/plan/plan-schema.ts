import type { JsonObject } from '../../model/json.ts';
import { ERROR_STRATEGIES } from '../document/flow.ts';
import { TASK_TYPES } from '../document/task.ts';

const TEXT: JsonObject = { type: 'string' };
const TEXTS: JsonObject = { type: 'array', items: TEXT };

const STEP: JsonObject = {
  type: 'object',
  properties: {
    step: { type: 'string', description: 'a short unique name, such as gather_context' },
    action: { type: 'string', description: 'what it does, for people' },
    command: {
      type: 'string',
      description: 'bash(<script>); [name] inserts an earlier output or a property of the task',
    },
    output_to: { type: 'string', description: 'the name of its output, in lower case' },
    on_error: { enum: [...ERROR_STRATEGIES] },
  },
  required: ['step', 'action', 'command'],
};

const TASK: JsonObject = {
  type: 'object',
  properties: {
    id: {
      type: 'string',
      description: 'IMPL-N, or IMPL-N.M for a subtask of IMPL-N; there are no deeper levels',
    },
    title: TEXT,
    meta: {
      type: 'object',
      properties: { type: { enum: [...TASK_TYPES] }, agent: TEXT },
      required: ['type'],
    },
    context: {
      type: 'object',
      properties: {
        requirements: TEXTS,
        focus_paths: {
          ...TEXTS,
          description: 'folders and files relative to the project root; no wildcards',
        },
        acceptance: {
          ...TEXTS,
          description: 'conditions for completion; `command: npm test` is run and must exit with code 0',
        },
        parent: { type: 'string', description: 'for a subtask: its parent task' },
        depends_on: { ...TEXTS, description: 'ids of tasks that must be completed first' },
        shared_context: { type: 'object' },
      },
      required: ['requirements', 'focus_paths', 'acceptance', 'depends_on'],
    },
    flow_control: {
      type: 'object',
      properties: {
        pre_analysis: { type: 'array', items: STEP },
        implementation_approach: {
          type: 'object',
          properties: { task_description: TEXT, modification_points: TEXTS, logic_flow: TEXTS },
          required: ['task_description'],
        },
        target_files: { ...TEXTS, description: 'file, file:function or file:function:lines' },
      },
    },
  },
  required: ['id', 'title', 'meta', 'context', 'flow_control'],
};

/** The schema of the planning agent's answer. */
export const PLAN_SCHEMA: JsonObject = {
  type: 'object',
  properties: {
    overview: { type: 'string', description: 'what to build and how, in a few sentences' },
    requirements: { ...TEXTS, description: 'what the result must satisfy' },
    tasks: { type: 'array', items: TASK, minItems: 1 },
  },
  required: ['tasks'],
};
