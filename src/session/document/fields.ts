/** Reads members of untrusted documents: a value of the wrong form counts as absent. */
import { isJsonObject, type JsonObject, type JsonValue } from '../../model/json.ts';

export function text(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value : '';
}

/** Returns the list itself if it contains only strings, as nearly all do. */
export function texts(value: JsonValue | undefined): readonly string[] {
  if (!Array.isArray(value)) return NO_TEXTS;
  return value.every(isText) ? value : value.filter(isText);
}

const NO_TEXTS: readonly string[] = [];

function isText(value: JsonValue): value is string {
  return typeof value === 'string';
}

export function object(value: JsonValue | undefined): JsonObject {
  return isJsonObject(value) ? value : {};
}

export function objects(value: JsonValue | undefined): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}

export function oneOf<Word extends string>(
  words: readonly Word[],
  value: JsonValue | undefined,
): Word | undefined {
  return words.includes(value as Word) ? (value as Word) : undefined;
}
