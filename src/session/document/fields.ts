/** Members of a document that anybody may have written: what is not of the form that is wanted counts as nothing. */
import { isJsonObject, type JsonObject, type JsonValue } from '../../model/json.ts';

export function text(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value : '';
}

/** The list itself where it holds nothing but texts, as nearly all do. */
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
