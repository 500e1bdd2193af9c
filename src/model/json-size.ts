import type { JsonValue } from './json.ts';

/** The overhead of a value. */
const PER_VALUE = 32;

/** About how much memory a value takes, in characters. */
export function jsonSize(value: JsonValue | readonly JsonValue[] | undefined): number {
  if (typeof value === 'string') return value.length + PER_VALUE;
  if (Array.isArray(value)) return value.reduce<number>((sum, each) => sum + jsonSize(each), PER_VALUE);
  if (typeof value !== 'object' || value === null) return value === undefined ? 0 : PER_VALUE;
  return Object.entries(value).reduce((sum, [name, each]) => sum + name.length + jsonSize(each), PER_VALUE);
}
