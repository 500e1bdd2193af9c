/** Data that survives `JSON.parse(JSON.stringify(x))`: all that crosses `Durable`, all that a file holds. */
export type JsonValue = string | number | boolean | null | readonly JsonValue[] | JsonObject;
export type JsonObject = { readonly [key: string]: JsonValue | undefined };

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Of what we read. Data is walked over by recursion, and this keeps every such walk far from the end of the stack. */
export const MAX_DEPTH = 500;
/** Of what agents and commands answer: it becomes part of documents of ours, which have to stay within `MAX_DEPTH`. */
export const MAX_ANSWER_DEPTH = 400;

/** `JSON.parse` of what others may have written. Throws a SyntaxError, or a RangeError for what is nested too deep. */
export function parseJson(text: string, maxDepth: number = MAX_DEPTH): unknown {
  const value: unknown = JSON.parse(text);
  // Each level takes two characters: most texts are too short to be deep.
  if (text.length > 2 * maxDepth && isDeeper(value, maxDepth)) throw tooDeep(maxDepth);
  return value;
}

export function tooDeep(maxDepth: number): RangeError {
  return new RangeError(`nested more than ${maxDepth} levels deep`);
}

/** What `parseJson` has thrown, as the end of a sentence: `not JSON: Unexpected end of JSON input`. */
export function whyNotRead(cause: unknown): string {
  const { message } = cause as Error;
  return cause instanceof RangeError ? message : `not JSON: ${message}`;
}

function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (levels === 0) return true;
  for (const each of Array.isArray(value) ? value : Object.values(value)) {
    if (isDeeper(each, levels - 1)) return true;
  }
  return false;
}

/** Behind the quote that ends the string which begins at `start`. Not an expression: those overflow at some millions of characters. */
export function endOfJsonString(text: string, start: number): number {
  let at = start + 1;
  while (at < text.length && text[at] !== '"') at += text[at] === '\\' ? 2 : 1;
  return Math.min(at + 1, text.length);
}

/** The object that a text is in JSON; nothing where it is anything else. */
export function parseJsonObject(text: string): JsonObject | undefined {
  try {
    const value: unknown = parseJson(text);
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** The text by which a value is compared and substituted: strings as they are, the rest as compact JSON. */
export function jsonText(value: JsonValue): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
