/** Describes what is expected at a place and what was found. */

import { isMap, isScalar, isSeq, type Node } from 'yaml';
import { unreachable } from '../../../model/unreachable.ts';
import type { Shape } from './shape.ts';

const LONGEST_SHOWN = 40;

export function shapeWords(shape: Shape): string {
  switch (shape.type) {
    case 'object':
    case 'record':
      return 'a mapping';
    case 'list':
      return 'a list';
    case 'json':
      return 'a value';
    case 'null':
      return '`null`';
    case 'text':
      return 'text';
    case 'union':
      return [...new Set(shape.options.map(shapeWords))].join(' or ');
    case 'leaf':
      if (shape.options !== undefined) return choice(shape.options);
      if (shape.kind === 'boolean') return '`true` or `false`';
      return shape.kind === 'string' ? 'text' : 'a number';
    default:
      return unreachable(shape);
  }
}

export function foundWords(node: Node | null): string {
  if (isMap(node)) return 'this is a mapping';
  if (isSeq(node)) return 'this is a list';
  if (!isScalar(node) || node.value === null) return 'it has no value';
  const shown = short(String(node.source ?? node.value));
  if (typeof node.value === 'string') return `this is the text \`${shown}\``;
  return typeof node.value === 'number' ? `this is the number \`${shown}\`` : `this is \`${shown}\``;
}

const YES = ['yes', 'on', 'y'];
const NO = ['no', 'off', 'n'];

/** Help for common mistakes with scalars. `key` is the key of the value. */
export function helpFor(node: Node | null, shape: Shape, key: string): string | undefined {
  if (!isScalar(node) || node.value === null) return undefined;
  const { value } = node;
  if (shape.type === 'list' && typeof value === 'string') {
    const words = key.startsWith('command') ? value.trim().split(/\s+/) : [value];
    return words.length > 12
      ? undefined
      : `write it as a list: ${JSON.stringify(words).replaceAll('","', '", "')}`;
  }
  if (shape.type !== 'leaf') return undefined;
  if (shape.kind === 'boolean' && typeof value === 'string') {
    const word = value.toLowerCase();
    if (YES.includes(word) || word === 'true') return 'write `true`';
    return NO.includes(word) || word === 'false' ? 'write `false`' : undefined;
  }
  if (shape.kind === 'number' && typeof value === 'string' && /^\d+(\.\d+)?$/.test(value)) {
    return `write it without quotes: ${value}`;
  }
  return shape.kind === 'string' ? `put it in quotes: "${String(node.source ?? value)}"` : undefined;
}

/** `a`, `b` or `c` */
export function choice(options: readonly string[]): string {
  const quoted = options.map((option) => `\`${option}\``);
  const last = quoted.pop() ?? '';
  return quoted.length === 0 ? last : `${quoted.join(', ')} or ${last}`;
}

export function list(names: readonly string[]): string {
  return names.map((name) => `\`${name}\``).join(', ');
}

export function short(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length > LONGEST_SHOWN ? `${line.slice(0, LONGEST_SHOWN)}…` : line;
}
