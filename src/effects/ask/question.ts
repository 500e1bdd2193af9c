/** A tool call as a question: what would be done, in full, with nothing hidden in it. */
import type { Question } from '../../model/event.ts';
import { type JsonValue, jsonText } from '../../model/json.ts';
import { visible } from '../../model/visible.ts';
import type { ToolCall } from './decide.ts';

const LONGEST_LINE = 300;
/** The question is part of the journal, of `state.json` and of the page. */
const LONGEST_DETAIL = 16_384;

export function questionAbout(call: ToolCall, mayHaveRun: boolean): Question {
  const again = mayHaveRun
    ? 'This call was allowed, and the run was stopped before the agent recorded its result, so it may have run already. Allow it again? '
    : '';
  return {
    message: `${again}${again === '' ? 'Allow ' : ''}${summary(call)}?`,
    choices: ['allow', 'deny'],
    detail: detail(call),
  };
}

/** `Bash: git push origin main`, on one line. */
function summary({ tool, input }: ToolCall): string {
  const { command, file_path: file, notebook_path: notebook, path, url } = input;
  const what = [command, file, notebook, path, url].find((value) => typeof value === 'string');
  const line = oneLine(typeof what === 'string' ? `${tool}: ${what}` : tool);
  return `\`${line.length > LONGEST_LINE ? `${line.slice(0, LONGEST_LINE)}…` : line}\``;
}

function oneLine(text: string): string {
  return visible(text.replace(/\s+/g, ' '));
}

/** Each input on its own line, or as an indented block. */
function detail({ tool, input }: ToolCall): string {
  const lines = Object.entries(input).map(([key, value]) => renderInput(visible(key), value ?? null));
  const whole = [`tool: ${oneLine(tool)}`, ...lines].join('\n');
  if (whole.length <= LONGEST_DETAIL) return whole;
  return `${whole.slice(0, LONGEST_DETAIL)}\n… (${whole.length - LONGEST_DETAIL} more characters; the whole call is in the log of the step)`;
}

function renderInput(key: string, value: JsonValue): string {
  const text = visible(typeof value === 'object' ? JSON.stringify(value, null, 2) : jsonText(value));
  return text.includes('\n') ? `${key}:\n${text.replace(/^/gm, '  ')}` : `${key}: ${text}`;
}
