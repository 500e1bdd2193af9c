/**
 * Adds our hooks to settings and removes them. Both edit the text: everything else keeps its order, spaces, comments and line endings.
 *
 * S1 Adding only inserts text. The insertions are recorded, so that removing exactly them restores every byte.
 * S2 If the file was rewritten meanwhile, the insertions are no longer found: then our handlers are found by their command, and each is
 *    removed along with containers that become empty.
 */

import { parseJson, whyNotRead } from '../../model/json.ts';
import { error, ok, type Result } from '../../model/result.ts';
import { withoutTrailing } from '../../model/trailing.ts';
import { findHooks, groupFor, HOOKS } from './hooks.ts';
import { withoutComments } from './json-comments.ts';
import {
  type JsonArrayNode,
  type JsonNode,
  type JsonObjectNode,
  memberOf,
  readJsonTree,
} from './json-tree.ts';

export interface Addition {
  readonly text: string;
  /** In text order. */
  readonly inserted: readonly string[];
}

/** The problem is a sentence about the file. */
export function addHooks(text: string, program: string): Result<Addition, string> {
  const read = readRoot(text);
  if (read.type === 'error') return read;
  const root = read.value;
  const style = styleOf(text, root);
  const present = new Set(findHooks(root).map(({ plan }) => plan.event));
  const missing = HOOKS.filter(({ event }) => !present.has(event));
  if (missing.length === 0) return ok({ text, inserted: [] });
  const hooks = memberOf(root, 'hooks')?.value;
  if (hooks === undefined) {
    const value = Object.fromEntries(missing.map((plan) => [plan.event, [groupFor(plan, program)]]));
    return ok(
      applied(text, [
        insertion(text, root, { content: member('hooks', value, { style, depth: 1 }), style, depth: 0 }),
      ]),
    );
  }
  if (hooks.type !== 'object') return error('`hooks` is not an object');
  const insertions: Insertion[] = [];
  const wholeEvents: string[] = [];
  for (const plan of missing) {
    const list = memberOf(hooks, plan.event)?.value;
    const group = groupFor(plan, program);
    if (list === undefined) {
      wholeEvents.push(member(plan.event, [group], { style, depth: 2 }));
    } else if (list.type !== 'array') {
      return error(`\`hooks.${plan.event}\` is not a list`);
    } else {
      insertions.push(insertion(text, list, { content: json(group, style, 3), style, depth: 2 }));
    }
  }
  if (wholeEvents.length > 0) {
    const joined = wholeEvents.join(`,${style.newline}${style.indent.repeat(2)}`);
    insertions.push(insertion(text, hooks, { content: joined, style, depth: 1 }));
  }
  return ok(applied(text, insertions));
}

/** S1; undefined if the text no longer contains them. */
export function takeBack(text: string, inserted: readonly string[]): string | undefined {
  let rest = text;
  for (const part of inserted) {
    const at = rest.indexOf(part);
    if (at === -1 || rest.indexOf(part, at + 1) !== -1) return undefined;
    rest = rest.slice(0, at) + rest.slice(at + part.length);
  }
  return rest;
}

/** S2 */
export function removeHooks(text: string): Result<string, string> {
  let rest = text;
  for (;;) {
    const read = readRoot(rest);
    if (read.type === 'error') return read;
    const root = read.value;
    const [found] = findHooks(root);
    if (found === undefined) return ok(rest);
    const hooks = memberOf(root, 'hooks');
    const event = memberOf(hooks?.value, found.plan.event);
    if (found.handlers.elements.length > 1) rest = without(rest, found.handlers.elements, found.handler);
    else if (found.list.elements.length > 1) rest = without(rest, found.list.elements, found.group);
    else if (hooks?.value.type === 'object' && hooks.value.members.length > 1)
      rest = without(rest, hooks.value.members, event);
    else rest = without(rest, root.members, hooks);
  }
}

export function readRoot(text: string): Result<JsonObjectNode, string> {
  const plain = withoutComments(text);
  try {
    parseJson(plain.replace(/^\uFEFF/, ''));
  } catch (cause) {
    return error(`it is ${whyNotRead(cause)}`);
  }
  const root = readJsonTree(plain);
  return root.type === 'object' ? ok(root) : error('not a JSON object');
}

interface Style {
  readonly newline: string;
  /** The indentation of one level; empty if everything is on one line. */
  readonly indent: string;
}

/** As used in the file; two spaces if unknown. */
function styleOf(text: string, root: JsonObjectNode): Style {
  const [first] = root.members;
  if (first === undefined) return { newline: text.includes('\r\n') ? '\r\n' : '\n', indent: '  ' };
  const before = text.slice(root.start + 1, first.start);
  const newline = /\r?\n/.exec(before)?.[0];
  if (newline === undefined) return { newline: '', indent: '' };
  return { newline, indent: before.slice(withoutTrailing(before, ' \t').length) };
}

/** Formats a value at this depth. */
interface Layout {
  readonly style: Style;
  readonly depth: number;
}

interface Insertion {
  readonly at: number;
  readonly text: string;
}

/** Inserts after the last element, or before the first if a comment follows the last. An empty list or object is expanded. */
function insertion(
  text: string,
  into: JsonObjectNode | JsonArrayNode,
  { content, style, depth }: Layout & { readonly content: string },
): Insertion {
  const last = (into.type === 'object' ? into.members : into.elements).at(-1);
  const line = style.newline + style.indent.repeat(depth + 1);
  if (last !== undefined && text.slice(last.end, into.end - 1).includes('/'))
    return { at: into.start + 1, text: `${line}${content},` };
  if (last !== undefined) return { at: last.end, text: `,${style.newline === '' ? ' ' : line}${content}` };
  return { at: into.start + 1, text: `${line}${content}${style.newline}${style.indent.repeat(depth)}` };
}

function applied(text: string, insertions: readonly Insertion[]): Addition {
  const sorted = [...insertions].sort((a, b) => a.at - b.at);
  let made = '';
  let from = 0;
  for (const { at, text: inserted } of sorted) {
    made += text.slice(from, at) + inserted;
    from = at;
  }
  return { text: made + text.slice(from), inserted: sorted.map(({ text: inserted }) => inserted) };
}

function member(key: string, value: object, { style, depth }: Layout): string {
  return `${JSON.stringify(key)}:${style.newline === '' ? '' : ' '}${json(value, style, depth)}`;
}

function json(value: object, { newline, indent }: Style, depth: number): string {
  if (newline === '') return JSON.stringify(value);
  return JSON.stringify(value, null, indent === '' ? 0 : indent).replaceAll(
    '\n',
    newline + indent.repeat(depth),
  );
}

/** Includes the comma and space that separate it from its neighbour, but no comment. */
function without(
  text: string,
  siblings: readonly { readonly start: number; readonly end: number }[],
  gone: JsonNode | { readonly start: number; readonly end: number } | undefined,
): string {
  const index = siblings.findIndex((each) => each.start === gone?.start);
  const before = siblings[index - 1];
  const after = siblings[index + 1];
  if (gone === undefined || index === -1) throw new Error('the hook to remove does not exist');
  if (before !== undefined)
    return (
      text.slice(0, before.end) +
      withoutComma(text.slice(before.end, gone.start)).trimEnd() +
      text.slice(gone.end)
    );
  if (after !== undefined) {
    const between = withoutComma(text.slice(gone.end, after.start));
    return text.slice(0, gone.start) + between.trimStart() + text.slice(after.start);
  }
  const open = text.slice(0, gone.start).trimEnd();
  return open + text.slice(gone.end).trimStart();
}

/** Without the comma between two elements; comments stay. */
function withoutComma(between: string): string {
  const at = withoutComments(between).indexOf(',');
  return at === -1 ? between : between.slice(0, at) + between.slice(at + 1);
}
