/** What an agent answered: the JSON that was asked for, wherever it stands, or its text as it is. */
import type { RunAgentOutput } from '../effects/contracts.ts';
import { isJsonObject, type JsonValue } from '../model/json.ts';
import { plainData } from '../store/plain-data.ts';
import type { Response } from './turn.ts';

const FENCE = /^[ \t]*```[A-Za-z]*[ \t]*\r?\n([\s\S]*?)\r?\n[ \t]*```[ \t]*$/gm;
/** More beginnings than this are not tried: the text is no answer. */
const MOST_BEGINNINGS = 500;

export function readAnswer(output: RunAgentOutput): Response {
  if (isAnswer(output.structured)) return output.structured;
  if (output.answer === undefined) {
    const isCut = output.truncated === true;
    return { text: output.output ?? '', raw: true, ...(isCut ? { truncated: true } : {}) };
  }
  return readText(output.answer);
}

export function readText(text: string): Response {
  const bare = parse(text.trim());
  if (bare !== undefined) return bare;
  const fenced = [...text.matchAll(FENCE)].map((match) => match[1] ?? '');
  for (const block of fenced.reverse()) {
    const found = parse(block);
    if (found !== undefined) return found;
  }
  return embedded(text) ?? { text, raw: true };
}

/** The first object in the text that is an answer. */
function embedded(text: string): Response | undefined {
  let from = 0;
  for (let tried = 0; tried < MOST_BEGINNINGS; tried += 1) {
    const start = text.indexOf('{', from);
    if (start === -1) return undefined;
    const end = endOfObject(text, start);
    const found = end === undefined ? undefined : parse(text.slice(start, end));
    if (found !== undefined) return found;
    from = start + 1;
  }
  return undefined;
}

/** After the brace that closes the one at `start`, as JSON counts them. */
function endOfObject(text: string, start: number): number | undefined {
  let depth = 0;
  let inString = false;
  for (let at = start; at < text.length; at += 1) {
    const char = text[at];
    if (inString) {
      if (char === '\\') at += 1;
      else if (char === '"') inString = false;
    } else if (char === '"') inString = true;
    else if (char === '{') depth += 1;
    else if (char === '}') {
      depth -= 1;
      if (depth === 0) return at + 1;
    }
  }
  return undefined;
}

function parse(text: string): Response | undefined {
  if (!text.startsWith('{')) return undefined;
  try {
    const value = plainData(JSON.parse(text));
    return isAnswer(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isAnswer(value: JsonValue | undefined): value is Exclude<Response, { raw: true }> {
  return isJsonObject(value) && Array.isArray(value['content']);
}
