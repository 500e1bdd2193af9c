/** Reads an agent's answer: the requested JSON, wherever it is in the text, or the raw text. */
import type { RunAgentOutput } from '../effects/contracts.ts';
import { fencedBlocks } from '../model/fence.ts';
import { isJsonObject, type JsonValue, MAX_ANSWER_DEPTH, parseJson } from '../model/json.ts';
import { plainData } from '../store/plain-data.ts';
import type { Response } from './turn.ts';

/** A JSON object starts with the name of a member. */
const BEGINNING = /\{\s*"/g;
/** The start of the requested form. Text without it is a final answer. */
const ATTEMPT = /\{\s*"content"\s*:\s*\[|"type"\s*:\s*"tool_use"/;
/** Limit of characters examined over all candidates; beyond it the text counts as raw. */
const MOST_LOOKED_AT = 8_000_000;

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
  for (const block of fencedBlocks(text).toReversed()) {
    const found = parse(block.text.trim());
    if (found !== undefined) return found;
  }
  const found = embedded(text);
  if (found !== undefined) return found;
  return { text, raw: true, ...(ATTEMPT.test(text) ? { malformed: true } : {}) };
}

/** The first object in the text that is a valid answer. */
function embedded(text: string): Response | undefined {
  let left = MOST_LOOKED_AT;
  for (const { index } of text.matchAll(BEGINNING)) {
    const end = endOfObject(text, index);
    const found = end === undefined ? undefined : parse(text.slice(index, end));
    if (found !== undefined) return found;
    left -= (end ?? text.length) - index;
    if (left < 0) return undefined;
  }
  return undefined;
}

/** The offset after the brace that closes the one at `start`, by JSON rules. */
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
    const value = plainData(parseJson(text, MAX_ANSWER_DEPTH));
    return isAnswer(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isAnswer(value: JsonValue | undefined): value is Exclude<Response, { raw: true }> {
  return isJsonObject(value) && Array.isArray(value['content']);
}
