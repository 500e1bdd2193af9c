/**
 * `{a,b}c` → `ac`, `bc`. Braces without a comma of their own, or without a partner, are ordinary characters.
 *
 * A pattern may come from an agent: it is read in one pass, and its expansion is bounded in number, size and depth.
 */
import { error, ok, type Result } from '../model/result.ts';

const MAX_ALTERNATIVES = 1000;
const MAX_CHARACTERS = 1_000_000;
const MAX_NESTED = 100;

/** The alternatives, or why the pattern is refused: `has more than 1000 alternatives in its braces`. */
export function expandBraces(text: string): Result<readonly string[], string> {
  if (text.length > MAX_CHARACTERS) return error(`is longer than ${MAX_CHARACTERS} characters`);
  if (!text.includes('{')) return ok([text]);
  const groups = groupsIn(text);
  if (groups === undefined) return error(`nests braces more than ${MAX_NESTED} deep`);
  const found = expand({ text, groups }, 0, text.length);
  if (found === undefined) return error(`has more than ${MAX_ALTERNATIVES} alternatives in its braces`);
  const characters = found.reduce((sum, { length }) => sum + length, 0);
  if (characters > MAX_CHARACTERS)
    return error(`has alternatives of more than ${MAX_CHARACTERS} characters in its braces`);
  return ok(found);
}

/** By start offset: its commas, then its closing brace. */
type Groups = ReadonlyMap<number, readonly number[]>;

function groupsIn(text: string): Groups | undefined {
  const groups = new Map<number, readonly number[]>();
  const open: { readonly start: number; readonly ends: number[] }[] = [];
  for (let at = 0; at < text.length; at += 1) {
    const char = text[at];
    if (char === '\\') at += 1;
    else if (char === ',') open.at(-1)?.ends.push(at);
    else if (char === '{') {
      if (open.length === MAX_NESTED) return undefined;
      open.push({ start: at, ends: [] });
    } else if (char === '}') {
      const group = open.pop();
      if (group !== undefined && group.ends.length > 0) groups.set(group.start, [...group.ends, at]);
    }
  }
  return groups;
}

/** Expands the text from `start` to `end`; undefined if there are too many alternatives. */
function expand(
  pattern: { readonly text: string; readonly groups: Groups },
  start: number,
  end: number,
): readonly string[] | undefined {
  const { text, groups } = pattern;
  let found: readonly string[] = [''];
  let literal = start;
  const take = (choices: readonly string[]): boolean => {
    if (found.length * choices.length > MAX_ALTERNATIVES) return false;
    found = found.flatMap((before) => choices.map((choice) => before + choice));
    return true;
  };
  for (let at = text.indexOf('{', start); at !== -1 && at < end; at = text.indexOf('{', at + 1)) {
    const ends = groups.get(at);
    if (ends === undefined) continue;
    take([text.slice(literal, at)]);
    const choices: string[] = [];
    for (const [index, choiceEnd] of ends.entries()) {
      const choiceStart = index === 0 ? at + 1 : (ends[index - 1] ?? at) + 1;
      const chosen = expand(pattern, choiceStart, choiceEnd);
      if (chosen === undefined || choices.length + chosen.length > MAX_ALTERNATIVES) return undefined;
      choices.push(...chosen);
    }
    if (!take(choices)) return undefined;
    at = ends.at(-1) ?? at;
    literal = at + 1;
  }
  take([text.slice(literal, end)]);
  return found;
}
