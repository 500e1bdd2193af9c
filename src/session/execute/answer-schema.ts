import type { JsonObject } from '../../model/json.ts';

function list(item: JsonObject): JsonObject {
  return { type: 'array', items: item };
}

function texts(...names: readonly string[]): JsonObject {
  return {
    type: 'object',
    properties: Object.fromEntries(names.map((name) => [name, { type: 'string' }])),
    required: names,
  };
}

/** What an agent answers when it has worked on a task. */
export const ANSWER_SCHEMA: JsonObject = {
  type: 'object',
  properties: {
    approach: { type: 'string', description: 'the strategy, in a few sentences' },
    files_modified: {
      ...list(texts('path', 'description')),
      description: 'every file you made, changed or removed; paths from the root of the project',
    },
    key_decisions: list(texts('decision', 'rationale')),
    shared_context: { type: 'object', description: 'what tasks that depend on this one must know' },
    integration_points: list(texts('name', 'usage')),
    verification: { ...list(texts('check', 'method')), description: 'what you verified, and how' },
    notes: { type: 'string', description: 'limitations and follow-ups; empty where there are none' },
  },
  required: [
    'approach',
    'files_modified',
    'key_decisions',
    'shared_context',
    'integration_points',
    'verification',
    'notes',
  ],
};
