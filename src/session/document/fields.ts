/** Reads members of untrusted documents: a value of the wrong form counts as absent. */
import { isJsonObject, type JsonObject, type JsonValue } from '../../model/json.ts';

export function text(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value : '';
}

/** A list of texts; one text counts as a list of one. Returns the list itself if it contains only strings, as nearly all do. */
export function texts(value: JsonValue | undefined): readonly string[] {
  if (typeof value === 'string') return value.trim() === '' ? NO_TEXTS : [value];
  if (!Array.isArray(value)) return NO_TEXTS;
  return value.every(isText) ? value : value.flatMap(textOfItem);
}

const NO_TEXTS: readonly string[] = [];

function isText(value: JsonValue): value is string {
  return typeof value === 'string';
}

/** Members of which tools write the text of an item. */
const TEXT_MEMBERS = ['path', 'id', 'criterion', 'text', 'description', 'title', 'name'];

function textOfItem(value: JsonValue): readonly string[] {
  if (typeof value === 'string') return [value];
  if (typeof value === 'number') return [String(value)];
  if (!isJsonObject(value)) return NO_TEXTS;
  const name = TEXT_MEMBERS.find((each) => typeof value[each] === 'string');
  return name === undefined ? NO_TEXTS : [String(value[name])];
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
