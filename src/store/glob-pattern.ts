/**
 * The pattern language: `*` and `?` within a name, `**` for any number of folders, `[a-z]` and `[!a-z]`, `{a,b}`, `\` before a
 * literal character. A name that starts with a dot is matched only by a segment that starts with one.
 *
 * Matching a name takes time linear in its length for each `*`: only the last star is retried, never an earlier one. Parsing a pattern
 * takes linear time, and its expansion is bounded, because it may come from an agent.
 */

import type { Failure } from '../model/failure.ts';
import { error, ok, type Result } from '../model/result.ts';
import { unreachable } from '../model/unreachable.ts';
import { expandBraces } from './expand-braces.ts';

export type Segment =
  | { readonly type: 'any-folders' }
  | { readonly type: 'literal'; readonly name: string }
  | { readonly type: 'wildcard'; matches(name: string): boolean };

export type Pattern = readonly Segment[];

/** The pattern that matches this text and nothing else. */
export function escapeGlob(text: string): string {
  return text.replace(/[\\*?[\]{},]/g, '\\$&');
}

/** A pattern as people read it: without the escapes that `escapeGlob` adds. */
export function shownGlob(pattern: string): string {
  return pattern.replace(/\\([\\*?[\]{},])/g, '$1');
}

/** The longest path on Linux. */
const LONGEST = 4096;
/** The length shown of a pattern that is refused. */
const SHOWN = 100;

/** One pattern for each combination of its braces. */
export function parsePattern(text: string): Result<readonly Pattern[], Failure> {
  const readable = shownGlob(text);
  const shown = readable.length > SHOWN ? `${readable.slice(0, SHOWN)}…` : readable;
  const refuse = (reason: string) => error<Failure>({ type: 'unsafe-path', path: shown, reason });
  if (text === '') return refuse('is empty');
  if (text.includes('\0')) return refuse('contains a NUL character');
  const alternatives = expandBraces(text);
  if (alternatives.type === 'error') return refuse(alternatives.error);
  const patterns: Pattern[] = [];
  for (const alternative of alternatives.value) {
    if (alternative.length > LONGEST) return refuse(`is longer than any path: ${LONGEST} characters`);
    if (/^(?:\/|\\\\|[A-Za-z]:[/\\])/.test(alternative)) {
      return refuse('is absolute; it must be relative to the workspace');
    }
    const pattern = parseSegments(alternative);
    // After parsing, so that an escaped dot counts as well.
    if (pattern.some((segment) => segment.type === 'literal' && segment.name === '..')) {
      return refuse('contains `..`; it must stay inside the workspace');
    }
    patterns.push(pattern);
  }
  return ok(patterns);
}

/** Whether a path, existing or not, matches the pattern. */
export function matchesPattern(text: string, path: string): boolean {
  const parsed = parsePattern(text);
  return parsed.type === 'ok' && parsed.value.some((pattern) => matchesSegments(pattern, path.split('/')));
}

/** Whether a whole text matches, in which `/` and a dot at the start are characters like all others. Returns why the pattern is invalid. */
export function matchesText(pattern: string, text: string): Result<boolean, string> {
  const alternatives = expandBraces(pattern);
  if (alternatives.type === 'error') return alternatives;
  if (alternatives.value.some((each) => each.length > LONGEST)) {
    return error(`is longer than ${LONGEST} characters`);
  }
  return ok(alternatives.value.some((each) => matcherFor(tokenize(each))(text)));
}

/** Tracks all possible positions in the pattern at once, so no `**` is tried twice. */
function matchesSegments(pattern: Pattern, names: readonly string[]): boolean {
  let places = withEmptyFolders(pattern, [0]);
  let isMatch = false;
  for (const name of names) {
    const next: number[] = [];
    isMatch = false;
    for (const at of places) {
      const segment = pattern[at];
      if (segment === undefined || !matchesName(segment, name)) continue;
      isMatch ||= at === pattern.length - 1;
      next.push(segment.type === 'any-folders' ? at : at + 1);
    }
    places = withEmptyFolders(pattern, next);
  }
  return isMatch;
}

/** `**` may match no folder at all: then the next segment applies in the same place. */
function withEmptyFolders(pattern: Pattern, places: readonly number[]): ReadonlySet<number> {
  const all = new Set<number>();
  for (let at of places) {
    all.add(at);
    while (pattern[at]?.type === 'any-folders') all.add(++at);
  }
  return all;
}

function matchesName(segment: Segment, name: string): boolean {
  switch (segment.type) {
    case 'any-folders':
      return !name.startsWith('.');
    case 'literal':
      return segment.name === name;
    case 'wildcard':
      return segment.matches(name);
    default:
      return unreachable(segment);
  }
}

function parseSegments(text: string): Pattern {
  const segments: Segment[] = [];
  for (const part of text.split('/')) {
    const segment = parseSegment(part);
    const isHere = segment.type === 'literal' && (segment.name === '' || segment.name === '.');
    const isRepeated = segment.type === 'any-folders' && segments.at(-1)?.type === 'any-folders';
    if (!isHere && !isRepeated) segments.push(segment);
  }
  return segments;
}

type Token =
  | { readonly type: 'star' }
  | { readonly type: 'one' }
  | { readonly type: 'char'; readonly char: string }
  | {
      readonly type: 'class';
      readonly negated: boolean;
      readonly ranges: readonly (readonly [string, string])[];
    };

function parseSegment(text: string): Segment {
  if (text === '**') return { type: 'any-folders' };
  const tokens = tokenize(text);
  if (tokens.every((token) => token.type === 'char')) {
    return { type: 'literal', name: tokens.map((token) => token.char).join('') };
  }
  const [first] = tokens;
  const dotted = first?.type === 'char' && first.char === '.';
  const matches = matcherFor(tokens);
  return { type: 'wildcard', matches: (name) => (dotted || !name.startsWith('.')) && matches(name) };
}

function tokenize(text: string): readonly Token[] {
  const chars = [...text];
  const tokens: Token[] = [];
  const lastClose = chars.lastIndexOf(']');
  for (let at = 0; at < chars.length; at += 1) {
    const char = chars[at] ?? '';
    const set = char === '[' && at < lastClose ? parseClass(chars, at) : undefined;
    if (set !== undefined) {
      tokens.push(set.token);
      at = set.last;
    } else if (char === '*') {
      if (tokens.at(-1)?.type !== 'star') tokens.push({ type: 'star' });
    } else if (char === '?') {
      tokens.push({ type: 'one' });
    } else if (char === '\\' && at + 1 < chars.length) {
      at += 1;
      tokens.push({ type: 'char', char: chars[at] ?? '' });
    } else {
      tokens.push({ type: 'char', char });
    }
  }
  return tokens;
}

function parseClass(chars: readonly string[], start: number): { token: Token; last: number } | undefined {
  let at = start + 1;
  const negated = chars[at] === '!' || chars[at] === '^';
  if (negated) at += 1;
  const first = at;
  const ranges: [string, string][] = [];
  for (; at < chars.length; at += 1) {
    if (chars[at] === ']' && at > first) return { token: { type: 'class', negated, ranges }, last: at };
    const low = chars[at] ?? '';
    const isRange = chars[at + 1] === '-' && chars[at + 2] !== undefined && chars[at + 2] !== ']';
    if (isRange) at += 2;
    ranges.push([low, chars[at] ?? '']);
  }
  return undefined;
}

function matcherFor(tokens: readonly Token[]): (name: string) => boolean {
  const star = tokens.findIndex((token) => token.type === 'star');
  const isPlain = tokens.every((token, index) => token.type === 'char' || index === star);
  if (star === -1 || !isPlain) return (name) => matchTokens(tokens, [...name]);
  const text = tokens.map((token) => (token.type === 'char' ? token.char : ''));
  const before = text.slice(0, star).join('');
  const after = text.slice(star + 1).join('');
  return (name) =>
    name.length >= before.length + after.length && name.startsWith(before) && name.endsWith(after);
}

function matchTokens(tokens: readonly Token[], chars: readonly string[]): boolean {
  let token = 0;
  let char = 0;
  let lastStar = -1;
  let starTook = 0;
  while (char < chars.length) {
    const current = tokens[token];
    if (current?.type === 'star') {
      lastStar = token;
      starTook = char;
      token += 1;
    } else if (current !== undefined && matchesOne(current, chars[char] ?? '')) {
      token += 1;
      char += 1;
    } else if (lastStar !== -1) {
      starTook += 1;
      char = starTook;
      token = lastStar + 1;
    } else {
      return false;
    }
  }
  while (tokens[token]?.type === 'star') token += 1;
  return token === tokens.length;
}

function matchesOne(token: Exclude<Token, { type: 'star' }>, char: string): boolean {
  switch (token.type) {
    case 'one':
      return true;
    case 'char':
      return token.char === char;
    case 'class': {
      const point = char.codePointAt(0) ?? 0;
      const inside = token.ranges.some(
        ([low, high]) => point >= (low.codePointAt(0) ?? 0) && point <= (high.codePointAt(0) ?? 0),
      );
      return inside !== token.negated;
    }
    default:
      return unreachable(token);
  }
}
