import { isReference, type Reference, type Template } from '../template.ts';
import type { Place } from './cursor.ts';
import { variableName } from './refusal-problem.ts';

/**
 * Rewrites a script so that values in `$(…)` and in heredocs, where quoting does not protect them, come from variables that are assigned
 * before it: `echo "$(basename "${item}")"` becomes `value_item=${item}; echo "$(basename "${value_item}")"`, with `${item}` quoted for its new place.
 * Whether that is safe is decided by analysing the result.
 */
export function passBeside(template: Template, wanted: ReadonlyMap<number, Place>): Template {
  const text = template.filter((part) => !isReference(part)).join('\0');
  const names = new Map<string, string>();
  const before: (string | Reference)[] = [];
  let index = -1;
  const script = template.map((part) => {
    if (!isReference(part)) return part;
    index += 1;
    const place = wanted.get(index);
    if (place === undefined) return part;
    const known = names.get(part.text);
    const name = known ?? freeName(part, text, names);
    if (known === undefined) {
      names.set(part.text, name);
      before.push(`${name}=`, part, '; ');
    }
    return expansionAt(place, name);
  });
  return joined([...before, ...script]);
}

/** A name that the script does not mention. */
function freeName(reference: Reference, text: string, names: ReadonlyMap<string, string>): string {
  const taken = new Set(names.values());
  const base = `value_${variableName(reference)}`;
  for (let count = 1; ; count += 1) {
    const name = count === 1 ? base : `${base}_${count}`;
    if (!taken.has(name) && !text.includes(name)) return name;
  }
}

function expansionAt(place: Place, name: string): string {
  if (place === 'double') return `\${${name}}`;
  return place === 'single' ? `'"\${${name}}"'` : `"\${${name}}"`;
}

/** Adjacent texts become one part, as in every template. */
function joined(parts: readonly (string | Reference)[]): Template {
  const result: (string | Reference)[] = [];
  for (const part of parts) {
    const last = result.at(-1);
    if (typeof part === 'string' && typeof last === 'string') result[result.length - 1] = last + part;
    else if (part !== '') result.push(part);
  }
  return result;
}
