/** The ways in which a file can violate its schema, each with its message and position. */
import { isScalar, type Node, type Scalar, type YAMLMap } from 'yaml';
import { nearest } from '../../../model/suggest.ts';
import type { FileKind } from '../file-kind.ts';
import type { MapEntry } from '../map-entries.ts';
import type { Places } from '../places.ts';
import type { Report } from '../report.ts';
import { choice, foundWords, helpFor, list, shapeWords } from './describe-shape.ts';
import type { Checks, ObjectShape, Shape } from './shape.ts';

/** What is being read, as named in messages. */
export interface Slot {
  readonly name: string;
  /** For a list item; otherwise -1. */
  readonly index: number;
  /** The key of the value. */
  readonly key: Node | undefined;
}

export interface ShapeProblems {
  wrongType(node: Node | null, shape: Shape, slot: Slot): void;
  unknownKey(entry: MapEntry, shape: ObjectShape): void;
  missingKey(node: YAMLMap, key: string, slot: Slot): void;
  /** Returns the word that was probably meant. */
  unknownWord(node: Scalar, options: readonly string[], slot: Slot): string | undefined;
  /** Reports the first of the checks that fails. */
  check(node: Node, checks: Checks, read: { readonly value: unknown; readonly slot: Slot }): void;
  checkKey(entry: MapEntry, checks: Checks, slot: Slot): void;
  refuseNul(node: Scalar, text: string): void;
  refuseInexact(node: Scalar, value: number): void;
}

/** More keys than this are not listed. */
const MOST_LISTED = 18;

export function createShapeProblems(places: Places, report: Report, kind: FileKind): ShapeProblems {
  const label = (slot: Slot): string => labelOf(slot, kind.noun);
  return {
    wrongType(node, shape, slot) {
      const found = node === null || (isScalar(node) && node.source === '') ? (slot.key ?? node) : node;
      if (found === null || found === undefined) return;
      report.error('workflow/wrong-type', places.nodeRange(found), {
        message: `${label(slot)} must be ${shapeWords(shape)}, but ${foundWords(node)}`,
        help: helpFor(node, shape, slot.name) ?? kind.suggestForm?.(slot.name),
      });
    },
    unknownKey(entry, shape) {
      const keys = [...shape.entries.keys()];
      const known = kind.suggestKey?.(entry.key, new Set(keys));
      const meant = known === undefined ? nearest(entry.key, keys) : undefined;
      const valid =
        kind.suggestKey !== undefined && keys.length > MOST_LISTED
          ? 'docs/workflow-reference.md lists the valid keys; an editor completes them (`orchestrate schema`)'
          : `valid keys: ${list(keys)}`;
      report.error('workflow/unknown-key', places.nodeRange(entry.keyNode), {
        message: `unknown key \`${entry.key}\``,
        help: known ?? (meant === undefined ? valid : `did you mean \`${meant}\`?`),
      });
    },
    missingKey(node, key, slot) {
      const first = node.items[0]?.key as Node | undefined;
      report.error('workflow/missing-key', places.nodeRange(slot.key ?? first ?? node), {
        message: `${label(slot)} lacks the required key \`${key}\``,
      });
    },
    unknownWord(node, options, slot) {
      const meant = nearest(String(node.value), options);
      report.error('workflow/unknown-value', places.nodeRange(node), {
        message: `${label(slot)} is \`${String(node.value)}\`, but must be ${choice(options)}`,
        help: meant === undefined ? undefined : `did you mean \`${meant}\`?`,
      });
      return meant;
    },
    check(node, checks, { value, slot }) {
      const wrong = firstProblem(checks, value);
      if (wrong === undefined) return;
      const range = isScalar(node) || slot.key === undefined ? node : slot.key;
      report.error('workflow/invalid-value', places.nodeRange(range), {
        message: isScalar(node)
          ? `${label(slot)} is \`${String(value)}\`, but ${wrong}`
          : `${label(slot)} ${wrong}`,
      });
    },
    checkKey(entry, checks, slot) {
      const wrong = firstProblem(checks, entry.key);
      if (wrong === undefined) return;
      report.error('workflow/invalid-value', places.nodeRange(entry.keyNode), {
        message: `the key \`${entry.key}\` of ${label(slot)} ${wrong}`,
      });
    },
    /** The file itself contains no NUL, so it can only come from an escape. */
    refuseNul(node, text) {
      if (node.type !== 'QUOTE_DOUBLE' || !text.includes('\0')) return;
      report.error('yaml/nul-character', places.nodeRange(node), {
        message: 'the text contains a NUL character, which is not allowed in arguments, paths and variables',
      });
    },
    refuseInexact(node, value) {
      if (Number.isFinite(value) && (!Number.isInteger(value) || Number.isSafeInteger(value))) return;
      if (Number.isFinite(value) && /[.eE]/.test(node.source ?? '')) return;
      report.error('workflow/not-json', places.nodeRange(node), {
        message: Number.isFinite(value)
          ? `the number \`${node.source}\` has more digits than can be stored`
          : `\`${node.source}\` is not a valid JSON number`,
        help: `put it in quotes to keep it as text: "${node.source}"`,
      });
    },
  };
}

function labelOf(slot: Slot, noun: string): string {
  if (slot.name === '') return slot.index < 0 ? `the ${noun}` : `item ${slot.index + 1}`;
  if (slot.index < 0) return `\`${slot.name}\``;
  const what = slot.name === 'steps' || slot.name === 'finally' ? 'step' : 'item';
  return `${what} ${slot.index + 1} of \`${slot.name}\``;
}

function firstProblem(checks: Checks, value: unknown): string | undefined {
  for (const check of checks) {
    const wrong = check(value);
    if (wrong !== undefined) return wrong;
  }
  return undefined;
}
