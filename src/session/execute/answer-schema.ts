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

/** The schema of an agent's answer after it worked on a task. */
export const ANSWER_SCHEMA: JsonObject = {
  type: 'object',
  properties: {
    approach: { type: 'string', description: 'the strategy, in a few sentences' },
    files_modified: {
      ...list(texts('path', 'description')),
      description: 'every file you created, changed or removed; paths relative to the project root',
    },
    key_decisions: list(texts('decision', 'rationale')),
    shared_context: { type: 'object', description: 'what tasks that depend on this one need to know' },
    integration_points: list(texts('name', 'usage')),
    verification: { ...list(texts('check', 'method')), description: 'what you verified, and how' },
    notes: { type: 'string', description: 'limitations and follow-ups; empty if there are none' },
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
