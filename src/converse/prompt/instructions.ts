import type { ConverseInput, Tool } from '../input.ts';
import { ANSWER_SCHEMA } from './answer-schema.ts';

/** The end of every prompt: the available tools, and how to answer. */
export function instructions(input: ConverseInput, iteration: number): string {
  return `${catalogue(input.tools)}## How to answer

This is iteration ${iteration} of at most ${input.maxIterations}. Answer with one JSON object and nothing else:

{"content": [{"type": "text", "text": "…"}${input.tools.length === 0 ? '' : `, {"type": "tool_use", "id": "toolu_1", "name": "…", "input": {…}}`}]}

${
  input.tools.length === 0
    ? 'Your answer ends the task.'
    : 'Request tools with `tool_use` blocks, and use no other tools: they are run for you, and their results are in the next prompt. An answer without any `tool_use` block ends the task: give it when the task is done, and say in its text what was done.'
}

The JSON Schema of the answer: ${JSON.stringify(ANSWER_SCHEMA)}
`;
}

function catalogue(tools: readonly Tool[]): string {
  if (tools.length === 0) return '';
  const entries = tools.map(
    (tool) => `- \`${tool.name}\`: ${tool.description}\n  input: ${JSON.stringify(tool.inputSchema)}\n`,
  );
  return `## Available tools\n\n${entries.join('')}\n`;
}
