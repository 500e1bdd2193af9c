/** Locates a value in the text of a JSON document. Used only to report problems. */
import { endOfJsonString } from '../../model/json.ts';
import type { SourceFile } from '../../model/source.ts';

export interface JsonPlace {
  /** UTF-16 offsets, half open. */
  readonly start: number;
  readonly end: number;
}

export type JsonPath = readonly (string | number)[];

/**
 * The value at the path, or else the deepest existing part of the path. The text has already been parsed, so it is valid JSON.
 * For a duplicate key the last one counts, as in the parser.
 */
export function locateJson(file: SourceFile, path: JsonPath): JsonPlace {
  let node = treeOf(file);
  for (const segment of path) {
    const next = node.members.get(segment);
    if (next === undefined) break;
    node = next;
  }
  const { start, end } = node;
  return { start, end };
}

interface Node extends JsonPlace {
  readonly members: ReadonlyMap<string | number, Node>;
}

/** A file with many findings is scanned once. */
const trees = new WeakMap<SourceFile, Node>();

function treeOf(file: SourceFile): Node {
  const known = trees.get(file);
  if (known !== undefined) return known;
  const tree = readTree(file.text);
  trees.set(file, tree);
  return tree;
}

const SPACE = /[ \t\r\n]*/y;
const SCALAR = /[^,\]}\s]+/y;

function readTree(text: string): Node {
  let at = text.charCodeAt(0) === 0xfeff ? 1 : 0;
  const skip = (pattern: RegExp): void => {
    pattern.lastIndex = at;
    at += pattern.exec(text)?.[0].length ?? 0;
  };
  const string = (): string => {
    const start = at;
    at = endOfJsonString(text, at);
    return text.slice(start, at);
  };
  const value = (): Node => {
    skip(SPACE);
    const start = at;
    const open = text[at];
    const members = new Map<string | number, Node>();
    if (open === '{' || open === '[') readMembers(open, members);
    else if (open === '"') string();
    else skip(SCALAR);
    return { start, end: at, members };
  };
  const readMembers = (open: '{' | '[', members: Map<string | number, Node>): void => {
    const close = open === '{' ? '}' : ']';
    at += 1;
    for (let index = 0; at < text.length; index += 1) {
      skip(SPACE);
      if (text[at] === close) break;
      let key: string | number = index;
      if (open === '{') {
        key = JSON.parse(string()) as string;
        skip(SPACE);
        at += 1;
      }
      members.set(key, value());
      skip(SPACE);
      if (text[at] !== ',') break;
      at += 1;
    }
    at += 1;
  };
  return value();
}

/** `context.depends_on[0]`; names that are not plain words go in brackets and quotes. */
export function jsonPathText(path: JsonPath): string {
  return path
    .map((segment, index) => {
      if (typeof segment === 'number') return `[${segment}]`;
      if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(segment)) return `[${JSON.stringify(segment)}]`;
      return index === 0 ? segment : `.${segment}`;
    })
    .join('');
}
