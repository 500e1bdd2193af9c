import type { JsonObject } from '../../model/json.ts';

/**
 * The schema of an answer. There is one kind of block, with everything optional except its type: an incomplete block is reported to the
 * agent in words, which helps it more than rejecting the whole answer.
 */
export const ANSWER_SCHEMA: JsonObject = {
  type: 'object',
  properties: {
    content: {
      type: 'array',
      items: {
        type: 'object',
        properties: {
          type: { type: 'string', enum: ['text', 'tool_use'] },
          text: { type: 'string', description: 'For a text block.' },
          id: {
            type: 'string',
            description: 'For a tool_use block: an id for the request, unique in the answer.',
          },
          name: { type: 'string', description: 'For a tool_use block: the name of the tool.' },
          input: { type: 'object', description: 'For a tool_use block: the input of the tool.' },
        },
        required: ['type'],
      },
    },
  },
  required: ['content'],
};
