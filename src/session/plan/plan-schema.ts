import type { JsonObject } from '../../model/json.ts';
import { ERROR_STRATEGIES, TASK_TYPES } from '../document/task.ts';

const TEXT: JsonObject = { type: 'string' };
const TEXTS: JsonObject = { type: 'array', items: TEXT };

const STEP: JsonObject = {
  type: 'object',
  properties: {
    step: { type: 'string', description: 'a short unique name, such as gather_context' },
    action: { type: 'string', description: 'what it does, for people' },
    command: {
      type: 'string',
      description: 'bash(<script>); [name] puts in an earlier output or a property of the task',
    },
    output_to: { type: 'string', description: 'the name of its output, in small letters' },
    on_error: { enum: [...ERROR_STRATEGIES] },
  },
  required: ['step', 'action', 'command'],
};

const TASK: JsonObject = {
  type: 'object',
  properties: {
    id: {
      type: 'string',
      description: 'IMPL-N, or IMPL-N.M for a part of IMPL-N; there are no deeper levels',
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
          description: 'folders and files from the root of the project; no wildcards',
        },
        acceptance: {
          ...TEXTS,
          description: 'when it is done; `command: npm test` is run and must exit with 0',
        },
        parent: { type: 'string', description: 'of a part: the task that it is a part of' },
        depends_on: { ...TEXTS, description: 'ids of tasks that must be completed before' },
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

/** What the planning agent answers. */
export const PLAN_SCHEMA: JsonObject = {
  type: 'object',
  properties: {
    overview: { type: 'string', description: 'what is to be built and how, in a few sentences' },
    requirements: { ...TEXTS, description: 'what the result must fulfil' },
    tasks: { type: 'array', items: TASK, minItems: 1 },
  },
  required: ['tasks'],
};
