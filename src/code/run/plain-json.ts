/** Refuses what JSON would silently change: a date becomes text, a map becomes `{}`, `NaN` becomes null. */
import { isJsonObject, type JsonValue, MAX_DEPTH } from '../../model/json.ts';
import { error, ok, type Result } from '../../model/result.ts';

export interface NotJson {
  /** `.items[2].at`; empty for the value itself. */
  readonly path: string;
  /** `a Date`, `a function`, `NaN`. */
  readonly what: string;
}

const LONGEST_PATH = 40;

/** Members that are undefined are left out, as JSON does. */
export function plainJson(value: unknown): Result<JsonValue, NotJson> {
  const wrong = findWrong(value, '', 0);
  if (wrong !== undefined) return error(wrong);
  return ok(JSON.parse(JSON.stringify(value)) as JsonValue);
}

export function describeNotJson({ path, what }: NotJson): string {
  return path === '' ? `${what} is not JSON` : `\`${path}\` is ${what}, which is not JSON`;
}

function findWrong(value: unknown, path: string, depth: number): NotJson | undefined {
  if (depth > MAX_DEPTH)
    return {
      path: `${path.slice(0, LONGEST_PATH)}…`,
      what: `nested more than ${MAX_DEPTH} levels deep, or contains itself`,
    };
  if (typeof value === 'string' || typeof value === 'boolean' || value === null) return undefined;
  if (typeof value === 'number')
    return Number.isFinite(value) && !Object.is(value, -0) ? undefined : { path, what: wordFor(value) };
  if (typeof value !== 'object') return { path, what: wordFor(value) };
  if (Array.isArray(value)) {
    for (const [index, each] of value.entries()) {
      const wrong = findWrong(each, `${path}[${index}]`, depth + 1);
      if (wrong !== undefined) return wrong;
    }
    return undefined;
  }
  const kind = Object.getPrototypeOf(value) as object | null;
  if (kind !== null && kind !== Object.prototype && Object.getPrototypeOf(kind) !== null)
    return { path, what: wordFor(value) };
  if (!isJsonObject(value)) return { path, what: wordFor(value) };
  for (const [name, member] of Object.entries(value)) {
    if (member === undefined) continue;
    const wrong = findWrong(member, `${path}.${name}`, depth + 1);
    if (wrong !== undefined) return wrong;
  }
  return undefined;
}

function wordFor(value: unknown): string {
  if (typeof value === 'number') return Object.is(value, -0) ? '-0' : String(value);
  if (value === undefined) return 'undefined';
  if (typeof value !== 'object' || value === null) return `a ${typeof value}`;
  const name = (value.constructor as { readonly name?: string } | undefined)?.name ?? 'object';
  return `${/^[AEIOU]/.test(name) ? 'an' : 'a'} ${name}`;
}
