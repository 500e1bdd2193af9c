import { sampleValue } from '../../agents/sample-value.ts';
import type { Tool } from '../../converse/input.ts';
import type { JsonValue } from '../../model/json.ts';

/** The mock agent's answers in a dry run: it requests every tool once and then finishes. */
export function dryScript(tools: readonly Tool[]): JsonValue {
  const requests = tools.map((tool, index) => ({
    type: 'tool_use',
    id: `toolu_${index + 1}`,
    name: tool.name,
    input: sampleValue(tool.inputSchema),
  }));
  const done = { content: [{ type: 'text', text: 'This is a dry run: no model was called.' }] };
  if (requests.length === 0) return { structured: done };
  return {
    structured: done,
    cases: [
      {
        prompt: 'This is iteration 1 of at most',
        structured: {
          content: [{ type: 'text', text: 'A dry run requests every tool once.' }, ...requests],
        },
      },
    ],
  };
}
