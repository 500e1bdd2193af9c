/**
 * The position of each value in the file. Data is plain; the position of a list or mapping is found by identity, that of
 * its contents by key, and only when a diagnostic needs it.
 */
import {
  type Alias,
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  type Node,
  visit,
  type YAMLMap,
} from 'yaml';
import type { SourceFile, SourceRange } from '../../model/source.ts';

export interface Places {
  /** Called by the reader for every list and mapping it creates. */
  note(container: object, node: Node): void;
  /** Called by the reader for a mapping that has keys it does not know. */
  noteUnknownKeys(container: object): void;
  /** Nothing was lost in reading, so a key that is missing here is missing in the file. */
  isWhole(container: object): boolean;
  /** Whether the key is in the file, also through a merge. */
  has(container: object, key: string | number): boolean;
  /** The target of an alias. */
  target(alias: Alias): Node | undefined;
  nodeRange(node: Node): SourceRange;
  /** The key's word, or the list item, or the start of the container if the key is not in the file. */
  keyRange(container: object, key: string | number): SourceRange;
  valueRange(container: object, key: string | number): SourceRange;
  /** A part of the text at `key`; the whole value if escapes or folding change the part. */
  partRange(container: object, key: string | number, part: Part): SourceRange;
}

/** Half-open range in the text after escapes and folding are resolved. */
export interface Part {
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

/** Per value. Finding a part searches the whole value, and more positions than this are of no use. */
const MOST_PARTS = 200;

export function createPlaces(file: SourceFile, document: Document.Parsed): Places {
  const nodes = new Map<object, Node>();
  const withUnknownKeys = new Set<object>();
  const pairs = new Map<YAMLMap, ReadonlyMap<string, YAMLMap['items'][number]>>();
  const partsAskedFor = new Map<Node, number>();
  let targets: ReadonlyMap<Alias, Node> | undefined;

  function target(alias: Alias): Node | undefined {
    targets ??= resolveAliases(document);
    return targets.get(alias);
  }

  function follow(node: Node): Node | undefined {
    return isAlias(node) ? target(node) : node;
  }

  function childOf(container: object, key: string | number): { key?: Node; value?: Node } {
    const node = nodes.get(container);
    if (isSeq(node) && typeof key === 'number') {
      const value = node.items[key];
      return value === undefined ? {} : { value: value as Node };
    }
    return isMap(node) ? pairOf(node, String(key)) : {};
  }

  function pairOf(map: YAMLMap, key: string): { key?: Node; value?: Node } {
    const pair = pairsOf(map).get(key);
    if (pair !== undefined)
      return { key: pair.key as Node, ...(pair.value === null ? {} : { value: pair.value as Node }) };
    for (const merged of mergedMaps(map, follow)) {
      const found = pairOf(merged, key);
      if (found.key !== undefined) return found;
    }
    return {};
  }

  /** By the text of their keys; of duplicates, the first. */
  function pairsOf(map: YAMLMap): ReadonlyMap<string, YAMLMap['items'][number]> {
    const known = pairs.get(map);
    if (known !== undefined) return known;
    const made = new Map<string, YAMLMap['items'][number]>();
    for (const pair of map.items) {
      const key = keyText(pair.key);
      if (key !== undefined && !made.has(key)) made.set(key, pair);
    }
    pairs.set(map, made);
    return made;
  }

  function nodeRange(node: Node): SourceRange {
    const [start, end] = node.range ?? [0, 0];
    return { file, start, end: trimEnd(file.text, start, end) };
  }

  function containerRange(container: object): SourceRange {
    const node = nodes.get(container);
    if (isMap(node) && isScalar(node.items[0]?.key)) return nodeRange(node.items[0].key);
    return node === undefined ? { file, start: 0, end: 0 } : nodeRange(node);
  }

  function valueRange(container: object, key: string | number): SourceRange {
    const child = childOf(container, key);
    const node = child.value ?? child.key;
    return node === undefined ? containerRange(container) : nodeRange(node);
  }

  return {
    note: (container, node) => nodes.set(container, node),
    noteUnknownKeys: (container) => withUnknownKeys.add(container),
    isWhole: (container) => nodes.has(container) && !withUnknownKeys.has(container),
    has: (container, key) => Object.keys(childOf(container, key)).length > 0,
    target,
    nodeRange,
    valueRange,
    keyRange(container, key) {
      const child = childOf(container, key);
      const node = child.key ?? child.value;
      return node === undefined ? containerRange(container) : nodeRange(node);
    },
    partRange(container, key, part) {
      const { value } = childOf(container, key);
      const node = value === undefined ? undefined : follow(value);
      if (node === undefined) return valueRange(container, key);
      const whole = nodeRange(node);
      const asked = (partsAskedFor.get(node) ?? 0) + 1;
      partsAskedFor.set(node, asked);
      if (asked > MOST_PARTS) return whole;
      const start = sameOccurrence(part, file.text.slice(whole.start, whole.end));
      return start === undefined
        ? whole
        : { file, start: whole.start + start, end: whole.start + start + (part.end - part.start) };
    },
  };
}

/** The text of a key; `undefined` if it is not a scalar. */
export function keyText(key: unknown): string | undefined {
  return isScalar(key) && typeof key.value === 'string' ? key.value : undefined;
}

/** The mappings that `<<` merges into this one, nearest first. */
export function mergedMaps(map: YAMLMap, follow: (node: Node) => Node | undefined): readonly YAMLMap[] {
  const merged: YAMLMap[] = [];
  for (const pair of map.items) {
    if (!isMergeKey(pair.key) || pair.value === null) continue;
    const value = follow(pair.value as Node);
    const sources = isSeq(value) ? value.items.map((item) => follow(item as Node)) : [value];
    for (const source of sources) if (isMap(source)) merged.push(source);
  }
  return merged;
}

export function isMergeKey(key: unknown): boolean {
  return isScalar(key) && key.value === '<<' && key.type === 'PLAIN';
}

/** An alias refers to the last anchor of its name before it. */
function resolveAliases(document: Document.Parsed): ReadonlyMap<Alias, Node> {
  const anchors = new Map<string, Node>();
  const targets = new Map<Alias, Node>();
  visit(document, {
    Alias(_, alias) {
      const node = anchors.get(alias.source);
      if (node !== undefined) targets.set(alias, node);
    },
    Value(_, node) {
      if (node.anchor !== undefined) anchors.set(node.anchor, node);
    },
  });
  return targets;
}

/** References and paths are mostly written literally, so the n-th occurrence in the value is the n-th in the source. */
function sameOccurrence(part: Part, source: string): number | undefined {
  const word = part.text.slice(part.start, part.end);
  if (word === '') return undefined;
  const cooked = occurrences(part.text, word);
  const raw = occurrences(source, word);
  return cooked.length === raw.length ? raw[cooked.indexOf(part.start)] : undefined;
}

function occurrences(text: string, word: string): number[] {
  const found: number[] = [];
  for (let at = text.indexOf(word); at !== -1; at = text.indexOf(word, at + 1)) found.push(at);
  return found;
}

function trimEnd(text: string, start: number, end: number): number {
  let last = end;
  while (last > start && /\s/.test(text.charAt(last - 1))) last -= 1;
  return last;
}
