/**
 * YAML nodes + the schema → plain data, and every mismatch.
 *
 * R1 The result always has the types of the schema: a value that does not fit is reported and replaced by a neutral one
 *    (empty text, empty list), so that the rules can check the rest and one mistake does not hide another.
 * R2 Mappings become objects without a prototype, so that no key is special.
 */

import { type Document, isAlias, isMap, isScalar, isSeq, type Node, type Scalar, type YAMLMap } from 'yaml';
import type { Diagnostic } from '../../../model/diagnostic.ts';
import type { SourceFile } from '../../../model/source.ts';
import { unreachable } from '../../../model/unreachable.ts';
import { AliasExpansion } from '../alias-expansion.ts';
import type { FileKind } from '../file-kind.ts';
import { entriesOf, type MapReading } from '../map-entries.ts';
import { createPlaces, type Places } from '../places.ts';
import { createReport, type Report } from '../report.ts';
import { fits, placeholder } from './fit.ts';
import type { LeafShape, ObjectShape, Shape } from './shape.ts';
import { createShapeProblems, type ShapeProblems, type Slot } from './shape-problems.ts';

export interface ShapeSource {
  readonly file: SourceFile;
  readonly document: Document.Parsed;
  readonly kind: FileKind;
}

export interface ReadFile {
  readonly data: unknown;
  readonly places: Places;
  readonly diagnostics: readonly Diagnostic[];
}

export function readShape(source: ShapeSource, shape: Shape): ReadFile {
  const { file, document, kind } = source;
  const places = createPlaces(file, document);
  const diagnostics: Diagnostic[] = [];
  const reader = new ShapeReader(places, createReport(diagnostics), kind);
  const data = reader.read(document.contents, shape, { name: '', index: -1, key: undefined });
  return { data, places, diagnostics };
}

const JSON_SHAPE: Shape = { type: 'json' };
const JSON_LIST: Shape & { type: 'list' } = { type: 'list', item: () => JSON_SHAPE, checks: [] };

class ShapeReader {
  readonly #maps: MapReading;
  readonly #problems: ShapeProblems;
  readonly #ignoresExtensions: boolean;
  #depth = 0;

  constructor(places: Places, report: Report, kind: FileKind) {
    this.#maps = { places, report, aliases: new AliasExpansion(places, report) };
    this.#problems = createShapeProblems(places, report, kind);
    this.#ignoresExtensions = kind.ignoresExtensions === true;
  }

  read(node: Node | null, shape: Shape, slot: Slot): unknown {
    const { aliases } = this.#maps;
    if (isAlias(node)) {
      const value = aliases.expand(node, this.#depth, (target) => this.read(target, shape, slot));
      return value === undefined ? placeholder(shape) : value;
    }
    aliases.count();
    this.#depth += 1;
    const value = this.#readNode(node, shape, slot);
    this.#depth -= 1;
    return value;
  }

  #readNode(node: Node | null, shape: Shape, slot: Slot): unknown {
    switch (shape.type) {
      case 'object':
        if (isMap(node)) return this.#readObject(node, shape, slot);
        break;
      case 'record':
        if (isMap(node)) return this.#readRecord(node, shape, slot);
        break;
      case 'list':
        if (isSeq(node)) return this.#readList(node, shape, slot);
        break;
      case 'union': {
        const option = shape.options.find((candidate) => fits(node, candidate));
        if (option !== undefined) return this.#readNode(node, option, slot);
        break;
      }
      case 'json':
        return this.#readJson(node, slot);
      case 'null':
        if (fits(node, shape)) return null;
        break;
      case 'text':
        if (isScalar(node) && fits(node, shape)) return this.#textOf(node, shape.reads);
        break;
      case 'leaf':
        if (isScalar(node) && fits(node, shape)) return this.#readLeaf(node, shape, slot);
        break;
      default:
        unreachable(shape);
    }
    this.#problems.wrongType(node, shape, slot);
    return placeholder(shape);
  }

  #readObject(node: YAMLMap, shape: ObjectShape, slot: Slot): object {
    const data = this.#newObject(node);
    for (const entry of entriesOf(node, this.#maps)) {
      const { key, keyNode } = entry;
      const known = shape.entries.get(key);
      if (known === undefined) {
        if (this.#ignoresExtensions && key.startsWith('x-')) continue;
        this.#maps.places.noteUnknownKeys(data);
        this.#problems.unknownKey(entry, shape);
      } else data[key] = this.read(entry.value, known.shape(), { name: key, index: -1, key: keyNode });
    }
    for (const [key, entry] of shape.expected) {
      if (key in data) continue;
      if (entry.required) this.#problems.missingKey(node, key, slot);
      data[key] = entry.required ? placeholder(entry.shape()) : entry.fallback;
    }
    this.#problems.check(node, shape.checks, { value: data, slot });
    return data;
  }

  #readRecord(node: YAMLMap, shape: Shape & { type: 'record' }, slot: Slot): object {
    const data = this.#newObject(node);
    for (const entry of entriesOf(node, this.#maps)) {
      const { key, keyNode } = entry;
      this.#problems.checkKey(entry, shape.key.checks, slot);
      const name = slot.name === '' ? key : `${slot.name}.${key}`;
      data[key] = this.read(entry.value, shape.value(), { name, index: -1, key: keyNode });
    }
    return data;
  }

  #readList(
    node: Node & { readonly items: readonly unknown[] },
    shape: Shape & { type: 'list' },
    slot: Slot,
  ): unknown[] {
    const data: unknown[] = [];
    this.#maps.places.note(data, node);
    const item = shape.item();
    for (const [index, child] of node.items.entries()) {
      data.push(this.read(child as Node | null, item, { name: slot.name, index, key: undefined }));
    }
    this.#problems.check(node, shape.checks, { value: data, slot });
    return data;
  }

  #readLeaf(node: Scalar, shape: LeafShape, slot: Slot): unknown {
    const { value } = node;
    if (typeof value === 'string') this.#problems.refuseNul(node, value);
    if (shape.options !== undefined && !shape.options.includes(String(value))) {
      return this.#problems.unknownWord(node, shape.options, slot) ?? shape.options[0];
    }
    this.#problems.check(node, shape.checks, { value, slot });
    return value;
  }

  #textOf(node: Scalar, reads: 'source' | 'json'): string {
    const { value, source } = node;
    const text = typeof value === 'string' || reads === 'json' ? String(value) : (source ?? String(value));
    this.#problems.refuseNul(node, text);
    return text;
  }

  #readJson(node: Node | null, slot: Slot): unknown {
    if (isMap(node)) {
      const data = this.#newObject(node);
      for (const { key, keyNode, value } of entriesOf(node, this.#maps)) {
        data[key] = this.read(value, JSON_SHAPE, { name: key, index: -1, key: keyNode });
      }
      return data;
    }
    if (isSeq(node)) return this.#readList(node, JSON_LIST, slot);
    if (!isScalar(node)) return null;
    if (typeof node.value === 'number') this.#problems.refuseInexact(node, node.value);
    if (typeof node.value === 'string') this.#problems.refuseNul(node, node.value);
    return node.value;
  }

  /** R2 */
  #newObject(node: YAMLMap): Record<string, unknown> {
    const data: Record<string, unknown> = Object.create(null);
    this.#maps.places.note(data, node);
    return data;
  }
}
