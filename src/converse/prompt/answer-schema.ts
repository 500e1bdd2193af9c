import type { JsonObject } from '../../model/json.ts';

/**
 * What an answer looks like. One kind of block with everything optional but its type: a block that lacks something is answered to the
 * agent in words, which helps it more than a refusal of the whole answer.
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
          text: { type: 'string', description: 'Of a text block.' },
          id: {
            type: 'string',
            description: 'Of a tool_use block: a name for the request, unique in the answer.',
          },
          name: { type: 'string', description: 'Of a tool_use block: the tool.' },
          input: { type: 'object', description: 'Of a tool_use block: what the tool gets.' },
        },
        required: ['type'],
      },
    },
  },
  required: ['content'],
};
