/** Data that survives `JSON.parse(JSON.stringify(x))`: everything that crosses `Durable` or is stored in a file. */
export type JsonValue = string | number | boolean | null | readonly JsonValue[] | JsonObject;
export type JsonObject = { readonly [key: string]: JsonValue | undefined };

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Maximum nesting of input. Data is walked recursively, and this keeps every walk far from a stack overflow. */
export const MAX_DEPTH = 500;
/** Maximum nesting of answers from agents and commands: they become part of our documents, which must stay within `MAX_DEPTH`. */
export const MAX_ANSWER_DEPTH = 400;

/** `JSON.parse` for untrusted text. Throws a SyntaxError, or a RangeError if it is nested too deeply. */
export function parseJson(text: string, maxDepth: number = MAX_DEPTH): unknown {
  const value: unknown = JSON.parse(text);
  // Each level takes two characters and one that opens it, so most texts are too short to be deep, or have too few of these.
  if (text.length > 2 * maxDepth && hasLevels(text, maxDepth) && isDeeper(value, maxDepth))
    throw tooDeep(maxDepth);
  return value;
}

/** Whether more levels than these may begin in the text: strings count too. Faster than a walk through what was parsed. */
function hasLevels(text: string, levels: number): boolean {
  let count = 0;
  for (const opening of ['{', '['])
    for (let at = text.indexOf(opening); at !== -1 && count <= levels; at = text.indexOf(opening, at + 1))
      count += 1;
  return count > levels;
}

export function tooDeep(maxDepth: number): RangeError {
  return new RangeError(`nested more than ${maxDepth} levels deep`);
}

/** Describes what `parseJson` threw, as the end of a sentence: `not JSON: Unexpected end of JSON input`. */
export function whyNotRead(cause: unknown): string {
  const { message } = cause as Error;
  return cause instanceof RangeError ? message : `not JSON: ${message}`;
}

function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (levels === 0) return true;
  if (Array.isArray(value)) return value.some((each) => isDeeper(each, levels - 1));
  // Parsed objects inherit nothing that is enumerable.
  for (const key in value) {
    if (isDeeper((value as JsonObject)[key], levels - 1)) return true;
  }
  return false;
}

/** The index after the quote that closes the string starting at `start`. A regular expression would overflow at some millions of characters. */
export function endOfJsonString(text: string, start: number): number {
  let at = start + 1;
  while (at < text.length && text[at] !== '"') at += text[at] === '\\' ? 2 : 1;
  return Math.min(at + 1, text.length);
}

/** Parses a text that is a JSON object; undefined for anything else. */
export function parseJsonObject(text: string): JsonObject | undefined {
  try {
    const value: unknown = parseJson(text);
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Whether both have the same text as JSON, in whatever order their members are: one that is `undefined` is absent. */
export function isSameJson(one: unknown, other: unknown): boolean {
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null)
    return one === other;
  if (Array.isArray(one) || Array.isArray(other)) {
    if (!Array.isArray(one) || !Array.isArray(other) || one.length !== other.length) return false;
    return one.every((each, at) => isSameJson(each, other[at]));
  }
  const [ours, theirs] = [one as JsonObject, other as JsonObject];
  const names = Object.keys(ours).filter((name) => ours[name] !== undefined);
  const others = Object.keys(theirs).filter((name) => theirs[name] !== undefined);
  return (
    names.length === others.length &&
    names.every((name) => Object.hasOwn(theirs, name) && isSameJson(ours[name], theirs[name]))
  );
}

/** The text used to compare and substitute a value: strings as they are, the rest as compact JSON. */
export function jsonText(value: JsonValue): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
