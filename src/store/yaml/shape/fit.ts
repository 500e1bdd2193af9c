import { isMap, isScalar, isSeq, type Node } from 'yaml';
import { unreachable } from '../../../model/unreachable.ts';
import type { Shape } from './shape.ts';

/** Whether the node is of the kind the shape needs; its contents are checked later. */
export function fits(node: Node | null, shape: Shape): boolean {
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
    case 'null':
      return isScalar(node) && node.value === null;
    case 'json':
      return true;
    case 'union':
      return shape.options.some((option) => fits(node, option));
    default:
      return unreachable(shape);
  }
}

/** The neutral value that replaces one that does not fit. */
export function placeholder(shape: Shape): unknown {
  switch (shape.type) {
    case 'object': {
      const data: Record<string, unknown> = Object.create(null);
      for (const [key, entry] of shape.expected) {
        data[key] = entry.required ? placeholder(entry.shape()) : entry.fallback;
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
    case 'null':
      return null;
    case 'text':
      return '';
    case 'leaf':
      if (shape.options !== undefined) return shape.options[0];
      return shape.kind === 'string' ? '' : shape.kind === 'number' ? 1 : false;
    default:
      return unreachable(shape);
  }
}
