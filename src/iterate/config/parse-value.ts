import { type JsonValue, parseJson } from '../../model/json.ts';
import { error, ok, type Result } from '../../model/result.ts';
import { unreachable } from '../../model/unreachable.ts';
import { fits, kindText, type ValueKind } from './kinds.ts';

/** Parses a value typed on the command line. A list is typed as JSON or as its single element. */
export function parseValue(kind: ValueKind, text: string): Result<JsonValue, string> {
  const value = read(kind, text);
  return value !== undefined && fits(kind, value) ? ok(value) : error(`\`${text}\` is not ${kindText(kind)}`);
}

function read(kind: ValueKind, text: string): JsonValue | undefined {
  switch (kind.type) {
    case 'text':
    case 'path-inside':
    case 'choice':
      return text;
    case 'boolean':
      return text === 'true' ? true : text === 'false' ? false : undefined;
    case 'number':
      return /^-?\d+(?:\.\d+)?$/.test(text) ? Number(text) : undefined;
    case 'ask-rule':
      return jsonIn(text);
    case 'list': {
      if (text.trimStart().startsWith('[')) return jsonIn(text);
      const one = read(kind.of, text);
      return one === undefined ? undefined : [one];
    }
    default:
      return unreachable(kind);
  }
}

function jsonIn(text: string): JsonValue | undefined {
  try {
    return parseJson(text) as JsonValue;
  } catch {
    return undefined;
  }
}
