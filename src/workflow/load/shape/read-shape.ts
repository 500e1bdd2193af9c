/**
 * YAML nodes + the schema → plain data, and every way in which they do not fit.
 *
 * R1 What comes out always has the types of the schema: a value that does not fit is reported and replaced by a neutral one
 *    (empty text, empty list), so that the rules can look at the rest and one mistake does not hide another.
 * R2 Mappings become objects without a prototype, so that no key can mean anything but itself.
 * R3 Aliases are written out under a cap.
 */
import { type Document, isAlias, isMap, isScalar, isSeq, type Node, type Scalar, type YAMLMap } from 'yaml';
import type { Diagnostic } from '../../../model/diagnostic.ts';
import type { SourceFile, SourceRange } from '../../../model/source.ts';
import { nearest } from '../../../model/suggest.ts';
import { createReport, type Report } from '../report.ts';
import { MAX_DEPTH } from '../yaml/parse-yaml.ts';
import { createPlaces, isMergeKey, keyText, mergedMaps, type Places } from '../yaml/places.ts';
import { choice, foundWords, helpFor, list, shapeWords } from './describe-shape.ts';
import type { Checks, LeafShape, Shape } from './shape.ts';

const MAX_ALIASED_NODES = 100_000;

export interface ReadFile {
  readonly data: unknown;
  readonly places: Places;
  readonly diagnostics: readonly Diagnostic[];
}

export function readShape(file: SourceFile, document: Document.Parsed, shape: Shape): ReadFile {
  const places = createPlaces(file, document);
  const diagnostics: Diagnostic[] = [];
  const reader = new ShapeReader(places, createReport(diagnostics));
  const data = reader.read(document.contents, shape, { name: '', index: -1, key: undefined });
  return { data, places, diagnostics };
}

/** What is being read, as messages name it. */
interface Slot {
  readonly name: string;
  readonly index: number;
  /** The key it stands under. */
  readonly key: Node | undefined;
}

interface MapEntry {
  readonly key: string;
  readonly keyNode: Scalar;
  readonly value: Node | null;
}

class ShapeReader {
  readonly #places: Places;
  readonly #report: Report;
  /** Aliases being written out, outermost first. */
  readonly #open: Node[] = [];
  #aliasedNodes = 0;
  #depth = 0;

  constructor(places: Places, report: Report) {
    this.#places = places;
    this.#report = report;
  }

  read(node: Node | null, shape: Shape, slot: Slot): unknown {
    if (isAlias(node)) return this.#readAlias(node, shape, slot);
    if (this.#open.length > 0) this.#aliasedNodes += 1;
    this.#depth += 1;
    const value = this.#readNode(node, shape, slot);
    this.#depth -= 1;
    return value;
  }

  #readAlias(node: Node & { readonly source: string }, shape: Shape, slot: Slot): unknown {
    const range = this.#places.nodeRange(node);
    const target = isAlias(node) ? this.#places.target(node) : undefined;
    if (target === undefined) {
      this.#report.error('yaml/unknown-anchor', range, {
        message: `there is no anchor \`&${node.source}\` before this alias`,
      });
      return placeholder(shape);
    }
    if (this.#open.includes(target) || this.#depth > MAX_DEPTH) {
      this.#report.error('yaml/alias-cycle', range, {
        message: `the alias \`*${node.source}\` stands inside the value it stands for`,
      });
      return placeholder(shape);
    }
    if (this.#aliasedNodes > MAX_ALIASED_NODES) {
      this.#tooManyAliases(range);
      return placeholder(shape);
    }
    this.#open.push(target);
    const value = this.read(target, shape, slot);
    this.#open.pop();
    return value;
  }

  #readNode(node: Node | null, shape: Shape, slot: Slot): unknown {
    switch (shape.type) {
      case 'object':
        return isMap(node) ? this.#readObject(node, shape, slot) : this.#wrongType(node, shape, slot);
      case 'record':
        return isMap(node) ? this.#readRecord(node, shape, slot) : this.#wrongType(node, shape, slot);
      case 'list':
        return isSeq(node) ? this.#readList(node, shape, slot) : this.#wrongType(node, shape, slot);
      case 'union': {
        const option = shape.options.find((candidate) => fits(node, candidate));
        return option === undefined ? this.#wrongType(node, shape, slot) : this.#readNode(node, option, slot);
      }
      case 'json':
        return this.#readJson(node, slot);
      case 'text':
        return fits(node, shape) && isScalar(node)
          ? this.#textOf(node, shape.reads)
          : this.#wrongType(node, shape, slot);
      case 'leaf':
        return fits(node, shape) && isScalar(node)
          ? this.#readLeaf(node, shape, slot)
          : this.#wrongType(node, shape, slot);
    }
  }

  #readObject(node: YAMLMap, shape: Shape & { type: 'object' }, slot: Slot): object {
    const data: Record<string, unknown> = Object.create(null);
    this.#places.note(data, node);
    for (const entry of this.#entriesOf(node)) {
      const known = shape.entries.get(entry.key);
      if (known === undefined) {
        this.#places.noteUnknownKeys(data);
        this.#unknownKey(entry, shape);
      } else
        data[entry.key] = this.read(entry.value, known.shape(), {
          name: entry.key,
          index: -1,
          key: entry.keyNode,
        });
    }
    for (const [key, entry] of shape.entries) {
      if (key in data) continue;
      if (entry.required) {
        this.#missingKey(node, key, slot);
        data[key] = placeholder(entry.shape());
      } else if (entry.fallback !== undefined) data[key] = entry.fallback;
    }
    this.#check(node, shape.checks, { value: data, slot });
    return data;
  }

  #readRecord(node: YAMLMap, shape: Shape & { type: 'record' }, slot: Slot): object {
    const data: Record<string, unknown> = Object.create(null);
    this.#places.note(data, node);
    for (const entry of this.#entriesOf(node)) {
      const wrong = firstProblem(shape.key.checks, entry.key);
      if (wrong !== undefined) {
        this.#report.error('workflow/invalid-value', this.#places.nodeRange(entry.keyNode), {
          message: `the key \`${entry.key}\`${slot.name === '' ? '' : ` of \`${slot.name}\``} ${wrong}`,
        });
      }
      data[entry.key] = this.read(entry.value, shape.value(), {
        name: slot.name === '' ? entry.key : `${slot.name}.${entry.key}`,
        index: -1,
        key: entry.keyNode,
      });
    }
    return data;
  }

  #readList(
    node: Node & { readonly items: readonly unknown[] },
    shape: Shape & { type: 'list' },
    slot: Slot,
  ): unknown[] {
    const data: unknown[] = [];
    this.#places.note(data, node);
    const item = shape.item();
    for (const [index, child] of node.items.entries()) {
      data.push(this.read(child as Node | null, item, { name: slot.name, index, key: undefined }));
    }
    this.#check(node, shape.checks, { value: data, slot });
    return data;
  }

  #readLeaf(node: Scalar, shape: LeafShape, slot: Slot): unknown {
    if (typeof node.value === 'string') this.#refuseNul(node, node.value);
    if (shape.options !== undefined && !shape.options.includes(String(node.value))) {
      const meant = nearest(String(node.value), shape.options);
      this.#report.error('workflow/unknown-value', this.#places.nodeRange(node), {
        message: `${label(slot)} is \`${String(node.value)}\`, and it can be ${choice(shape.options)}`,
        help: meant === undefined ? undefined : `did you mean \`${meant}\`?`,
      });
      return meant ?? shape.options[0];
    }
    this.#check(node, shape.checks, { value: node.value, slot });
    return node.value;
  }

  #textOf(node: Scalar, reads: 'source' | 'json'): string {
    const text =
      typeof node.value === 'string' || reads === 'json'
        ? String(node.value)
        : (node.source ?? String(node.value));
    this.#refuseNul(node, text);
    return text;
  }

  #readJson(node: Node | null, slot: Slot): unknown {
    if (isMap(node)) {
      const data: Record<string, unknown> = Object.create(null);
      this.#places.note(data, node);
      for (const entry of this.#entriesOf(node)) {
        data[entry.key] = this.read(entry.value, JSON_SHAPE, {
          name: entry.key,
          index: -1,
          key: entry.keyNode,
        });
      }
      return data;
    }
    if (isSeq(node)) return this.#readList(node, { type: 'list', item: () => JSON_SHAPE, checks: [] }, slot);
    if (!isScalar(node)) return null;
    if (typeof node.value === 'number') this.#refuseInexact(node, node.value);
    if (typeof node.value === 'string') this.#refuseNul(node, node.value);
    return node.value;
  }

  #entriesOf(map: YAMLMap): readonly MapEntry[] {
    const entries: MapEntry[] = [];
    const seen = new Map<string, Scalar>();
    let merges = false;
    for (const pair of map.items) {
      const key = keyText(pair.key);
      if (key === undefined || !isScalar(pair.key)) continue;
      if (key === '<<' && isMergeKey(pair.key)) {
        merges = true;
        continue;
      }
      const first = seen.get(key);
      if (first === undefined) {
        seen.set(key, pair.key);
        entries.push({ key, keyNode: pair.key, value: pair.value as Node | null });
      } else {
        this.#report.error('yaml/duplicate-key', this.#places.nodeRange(pair.key), {
          message: `the key \`${key}\` stands here twice`,
          related: [{ message: 'it stands here first', range: this.#places.nodeRange(first) }],
        });
      }
    }
    if (merges) this.#merge(map, entries, seen);
    return entries;
  }

  /** A key that is written out beats one that is merged in; of several merged ones the first wins. */
  #merge(map: YAMLMap, entries: MapEntry[], seen: Map<string, Scalar>): void {
    const follow = (node: Node) => (isAlias(node) ? this.#places.target(node) : node);
    const merged = mergedMaps(map, follow);
    const mergeKey = map.items.find((pair) => isMergeKey(pair.key))?.key as Node;
    if (merged.length === 0) {
      this.#report.error('yaml/bad-merge', this.#places.nodeRange(mergeKey), {
        message: '`<<` takes a mapping, mostly an alias of one',
      });
    }
    for (const source of merged) {
      if (this.#open.includes(source) || source === map) {
        this.#report.error('yaml/alias-cycle', this.#places.nodeRange(mergeKey), {
          message: 'the mapping is merged into itself',
        });
        continue;
      }
      this.#aliasedNodes += source.items.length;
      if (this.#aliasedNodes > MAX_ALIASED_NODES) {
        this.#tooManyAliases(this.#places.nodeRange(mergeKey));
        return;
      }
      this.#open.push(source);
      for (const entry of this.#entriesOf(source)) {
        if (seen.has(entry.key)) continue;
        seen.set(entry.key, entry.keyNode);
        entries.push(entry);
      }
      this.#open.pop();
    }
  }

  #tooManyAliases(range: SourceRange): void {
    this.#report.once('yaml/too-many-aliases', range, {
      message: `written out, the aliases of this file make more than ${MAX_ALIASED_NODES} values`,
    });
  }

  #check(node: Node, checks: Checks, read: { readonly value: unknown; readonly slot: Slot }): void {
    const wrong = firstProblem(checks, read.value);
    if (wrong === undefined) return;
    const range = isScalar(node) || read.slot.key === undefined ? node : read.slot.key;
    this.#report.error('workflow/invalid-value', this.#places.nodeRange(range), {
      message: isScalar(node)
        ? `${label(read.slot)} is \`${String(read.value)}\` and ${wrong}`
        : `${label(read.slot)} ${wrong}`,
    });
  }

  #wrongType(node: Node | null, shape: Shape, slot: Slot): unknown {
    const found = node === null || (isScalar(node) && node.source === '') ? (slot.key ?? node) : node;
    if (found !== null && found !== undefined) {
      this.#report.error('workflow/wrong-type', this.#places.nodeRange(found), {
        message: `${label(slot)} must be ${shapeWords(shape)}, and ${foundWords(node)}`,
        help: helpFor(node, shape, slot.name),
      });
    }
    return placeholder(shape);
  }

  #unknownKey(entry: MapEntry, shape: Shape & { type: 'object' }): void {
    const meant = nearest(entry.key, shape.entries.keys());
    this.#report.error('workflow/unknown-key', this.#places.nodeRange(entry.keyNode), {
      message: `the key \`${entry.key}\` has no meaning here`,
      help:
        meant === undefined
          ? `the keys here are ${list([...shape.entries.keys()])}`
          : `did you mean \`${meant}\`?`,
    });
  }

  #missingKey(node: YAMLMap, key: string, slot: Slot): void {
    const first = node.items[0]?.key as Node | undefined;
    this.#report.error('workflow/missing-key', this.#places.nodeRange(slot.key ?? first ?? node), {
      message: `${label(slot)} needs the key \`${key}\``,
    });
  }

  /** The file itself holds none, so it can only come from an escape. */
  #refuseNul(node: Scalar, text: string): void {
    if (node.type !== 'QUOTE_DOUBLE' || !text.includes('\0')) return;
    this.#report.error('yaml/nul-character', this.#places.nodeRange(node), {
      message: 'the text holds a NUL character, which no argument, path or variable can hold',
    });
  }

  #refuseInexact(node: Scalar, value: number): void {
    if (Number.isFinite(value) && (!Number.isInteger(value) || Number.isSafeInteger(value))) return;
    if (Number.isFinite(value) && /[.eE]/.test(node.source ?? '')) return;
    this.#report.error('workflow/not-json', this.#places.nodeRange(node), {
      message: Number.isFinite(value)
        ? `the number \`${node.source}\` has more digits than can be kept`
        : `\`${node.source}\` is not a number that JSON has`,
      help: `put it in quotes to keep it as text: "${node.source}"`,
    });
  }
}

const JSON_SHAPE: Shape = { type: 'json' };

function label(slot: Slot): string {
  if (slot.name === '') return slot.index < 0 ? 'the workflow' : `item ${slot.index + 1}`;
  if (slot.index < 0) return `\`${slot.name}\``;
  return slot.name === 'steps' || slot.name === 'finally'
    ? `step ${slot.index + 1} of \`${slot.name}\``
    : `item ${slot.index + 1} of \`${slot.name}\``;
}

function fits(node: Node | null, shape: Shape): boolean {
  switch (shape.type) {
    case 'object':
    case 'record':
      return isMap(node);
    case 'list':
      return isSeq(node);
    case 'leaf':
      return isScalar(node) && typeof node.value === shape.kind;
    case 'text':
      return isScalar(node) && ['string', 'number', 'boolean'].includes(typeof node.value);
    case 'json':
      return true;
    case 'union':
      return shape.options.some((option) => fits(node, option));
  }
}

function firstProblem(checks: Checks, value: unknown): string | undefined {
  for (const check of checks) {
    const wrong = check(value);
    if (wrong !== undefined) return wrong;
  }
  return undefined;
}

/** R1 */
function placeholder(shape: Shape): unknown {
  switch (shape.type) {
    case 'object': {
      const data: Record<string, unknown> = Object.create(null);
      for (const [key, entry] of shape.entries) {
        if (entry.required) data[key] = placeholder(entry.shape());
        else if (entry.fallback !== undefined) data[key] = entry.fallback;
      }
      return data;
    }
    case 'record':
      return Object.create(null);
    case 'list':
      return [];
    case 'union':
      return shape.options[0] === undefined ? null : placeholder(shape.options[0]);
    case 'json':
      return null;
    case 'text':
      return '';
    case 'leaf':
      if (shape.options !== undefined) return shape.options[0];
      return shape.kind === 'string' ? '' : shape.kind === 'number' ? 1 : false;
  }
}
