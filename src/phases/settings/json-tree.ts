/** JSON with the position of every value, so that one part of a text can be changed and the rest stays as it is. */
import { endOfJsonString } from '../../model/json.ts';

export type JsonNode = JsonObjectNode | JsonArrayNode | JsonScalarNode;

interface Placed {
  /** UTF-16 offsets; `end` is after the last character. */
  readonly start: number;
  readonly end: number;
}

export interface JsonObjectNode extends Placed {
  readonly type: 'object';
  readonly members: readonly JsonMember[];
}

export interface JsonMember extends Placed {
  readonly key: string;
  readonly value: JsonNode;
}

export interface JsonArrayNode extends Placed {
  readonly type: 'array';
  readonly elements: readonly JsonNode[];
}

export interface JsonScalarNode extends Placed {
  readonly type: 'scalar';
  readonly value: string | number | boolean | null;
}

const SPACE = /[ \t\r\n]*/y;
const SCALAR = /[^\s,\]}]+/y;

/** The text must be valid JSON, already accepted by `JSON.parse`. */
export function readJsonTree(text: string): JsonNode {
  let at = text.charCodeAt(0) === 0xfeff ? 1 : 0;
  const skip = (): void => {
    SPACE.lastIndex = at;
    at += SPACE.exec(text)?.[0].length ?? 0;
  };
  const scalar = (): JsonScalarNode => {
    const start = at;
    SCALAR.lastIndex = at;
    if (text[at] === '"') at = endOfJsonString(text, at);
    else at += SCALAR.exec(text)?.[0].length ?? 0;
    return { type: 'scalar', start, end: at, value: JSON.parse(text.slice(start, at)) };
  };
  /** Calls `each` before every element, then skips the closing bracket. */
  const list = (close: string, each: () => void): void => {
    at += 1;
    for (skip(); text[at] !== close; skip()) {
      if (text[at] === ',') {
        at += 1;
        skip();
      }
      each();
    }
    at += 1;
  };
  const node = (): JsonNode => {
    skip();
    const start = at;
    if (text[at] === '{') {
      const members: JsonMember[] = [];
      list('}', () => {
        const key = scalar();
        skip();
        at += 1;
        const value = node();
        members.push({ key: String(key.value), value, start: key.start, end: value.end });
      });
      return { type: 'object', members, start, end: at };
    }
    if (text[at] === '[') {
      const elements: JsonNode[] = [];
      list(']', () => elements.push(node()));
      return { type: 'array', elements, start, end: at };
    }
    return scalar();
  };
  return node();
}

/** For duplicate names the last one counts, as in `JSON.parse`. */
export function memberOf(node: JsonNode | undefined, key: string): JsonMember | undefined {
  return node?.type === 'object' ? node.members.findLast((member) => member.key === key) : undefined;
}

export function textAt(node: JsonNode | undefined, key: string): string | undefined {
  const value = memberOf(node, key)?.value;
  return value?.type === 'scalar' && typeof value.value === 'string' ? value.value : undefined;
}
