import { sampleValue } from '../../agents/sample-value.ts';
import type { Tool } from '../../converse/input.ts';
import type { JsonValue } from '../../model/json.ts';

/** What the mock agent says in a dry run: it asks for every tool once, then it is done. */
export function dryScript(tools: readonly Tool[]): JsonValue {
  const requests = tools.map((tool, index) => ({
    type: 'tool_use',
    id: `toolu_${index + 1}`,
    name: tool.name,
    input: sampleValue(tool.inputSchema),
  }));
  const done = { content: [{ type: 'text', text: 'This is a dry run: nothing was asked of a model.' }] };
  if (requests.length === 0) return { structured: done };
  return {
    structured: done,
    cases: [
      {
        prompt: 'This is iteration 1 of at most',
        structured: {
          content: [{ type: 'text', text: 'A dry run asks for every tool once.' }, ...requests],
        },
      },
    ],
  };
}
