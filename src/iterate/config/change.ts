/** Changes settings in a file by dotted key: set, add, remove, unset. */

import { isJsonObject, isSameJson, type JsonObject, type JsonValue } from '../../model/json.ts';
import { unreachable } from '../../model/unreachable.ts';

export type ConfigChange =
  | { readonly type: 'set'; readonly value: JsonValue }
  | { readonly type: 'add' | 'remove'; readonly element: JsonValue }
  | { readonly type: 'unset' };

/** `before`: the current value, to which an element is added. */
export function changedValue(before: JsonValue | undefined, change: ConfigChange): JsonValue | undefined {
  const list = Array.isArray(before) ? (before as readonly JsonValue[]) : [];
  switch (change.type) {
    case 'set':
      return change.value;
    case 'add':
      return list.some((each) => isSameJson(each, change.element)) ? list : [...list, change.element];
    case 'remove':
      return list.filter((each) => !isSameJson(each, change.element));
    case 'unset':
      return undefined;
    default:
      return unreachable(change);
  }
}

/** The document with the value at the dotted key, or without it; objects that become empty are removed too. */
export function withValue(document: JsonObject, key: string, value: JsonValue | undefined): JsonObject {
  if (Object.hasOwn(document, key)) return member(document, key, value);
  const dot = key.indexOf('.');
  if (dot === -1) return member(document, key, value);
  const first = key.slice(0, dot);
  const inner = document[first];
  const changed = withValue(isJsonObject(inner) ? inner : {}, key.slice(dot + 1), value);
  return member(document, first, Object.keys(changed).length === 0 ? undefined : changed);
}

function member(document: JsonObject, key: string, value: JsonValue | undefined): JsonObject {
  const copy: { [key: string]: JsonValue | undefined } = { ...document };
  if (value === undefined) delete copy[key];
  else copy[key] = value;
  return copy;
}
