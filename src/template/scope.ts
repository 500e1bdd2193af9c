import type { JsonObject, JsonValue } from '../model/json.ts';
import type { Reference } from './template.ts';

/** Returns the value of a path, or `undefined` if there is none. */
export type Scope = (path: readonly string[]) => JsonValue | undefined;

/** The value of a reference, or its fallback. */
export function referenceValue(scope: Scope, { path, fallback }: Reference): JsonValue | undefined {
  const value = scope(path);
  return value === undefined ? fallback : value;
}

const INDEX = /^(?:0|[1-9][0-9]*)$/;

/** Follows a path through own keys and array indexes only, never a prototype. */
export function lookUp(value: JsonValue | undefined, path: readonly string[]): JsonValue | undefined {
  let current = value;
  for (const segment of path) {
    if (typeof current !== 'object' || current === null) return undefined;
    if (Array.isArray(current)) current = INDEX.test(segment) ? current[Number(segment)] : undefined;
    else if (Object.hasOwn(current, segment)) current = (current as JsonObject)[segment];
    else return undefined;
  }
  return current;
}

/** A scope whose roots are the keys of an object. */
export function objectScope(values: JsonObject): Scope {
  return (path) => (path.length === 0 ? undefined : lookUp(values, path));
}
