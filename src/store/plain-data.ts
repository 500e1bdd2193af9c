import { type JsonValue, MAX_DEPTH, tooDeep } from '../model/json.ts';

/**
 * Parsed JSON as plain data: objects without a prototype, so that no key — `__proto__`, `constructor` — is special.
 * Throws a RangeError if it is nested more than `MAX_DEPTH` levels deep.
 */
export function plainData(value: unknown, depth = 0): JsonValue {
  if (typeof value !== 'object' || value === null) return value as JsonValue;
  if (depth >= MAX_DEPTH) throw tooDeep(MAX_DEPTH);
  if (Array.isArray(value)) return value.map((each) => plainData(each, depth + 1));
  const plain: { [key: string]: JsonValue } = Object.create(null);
  for (const [key, each] of Object.entries(value)) plain[key] = plainData(each, depth + 1);
  return plain;
}
