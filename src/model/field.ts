/** A typed value that a user gives: an input of a workflow, or a field of a question. One reading of it for every door. */
import { defined } from './defined.ts';
import { type JsonObject, type JsonValue, jsonText } from './json.ts';
import { error, ok, type Result } from './result.ts';
import { nearest } from './suggest.ts';
import { unreachable } from './unreachable.ts';

export const FIELD_TYPES = ['string', 'number', 'boolean', 'choice', 'file'] as const;

export type FieldType = (typeof FIELD_TYPES)[number];

export interface Field {
  readonly name: string;
  readonly type: FieldType;
  /** Whether it must be given; never if it has a default. */
  readonly required: boolean;
  readonly default?: JsonValue;
  /** For the type `choice`. */
  readonly choices?: readonly string[];
  readonly description?: string;
}

export type FieldProblem =
  | { readonly type: 'missing'; readonly field: Field }
  | {
      readonly type: 'invalid';
      readonly field: Field;
      /** The rest of a sentence: "must be a number, but is `x`". */
      readonly reason: string;
      readonly meant?: string;
    }
  | { readonly type: 'unknown'; readonly name: string };

/** Why this path names no file in the workspace; undefined if it does. */
export type CheckFile = (path: string) => string | undefined;

export interface FieldsRead {
  /** Typed, with defaults. An optional field without a value is left out. */
  readonly values: { readonly [name: string]: JsonValue };
  readonly problems: readonly FieldProblem[];
}

const LONGEST_SHOWN = 60;
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/** Reads all fields and reports every problem. An unknown name is a problem too. */
export function readFields(fields: readonly Field[], given: JsonObject, checkFile: CheckFile): FieldsRead {
  const values: { [name: string]: JsonValue } = Object.create(null);
  const problems: FieldProblem[] = [];
  for (const field of fields) {
    const value = Object.hasOwn(given, field.name) ? given[field.name] : field.default;
    if (value === undefined) {
      if (field.required) problems.push({ type: 'missing', field });
      continue;
    }
    const read = readField(field, value, checkFile);
    if (read.type === 'ok') values[field.name] = read.value;
    else problems.push({ type: 'invalid', field, ...read.error });
  }
  const names = fields.map(({ name }) => name);
  for (const name of Object.keys(given)) {
    if (given[name] === undefined || names.includes(name)) continue;
    problems.push({ type: 'unknown', name });
  }
  return { values, problems };
}

export interface Misfit {
  readonly reason: string;
  readonly meant?: string;
}

/** Text becomes a value of the field's type: the command line knows only text. */
export function readField(field: Field, given: JsonValue, checkFile: CheckFile): Result<JsonValue, Misfit> {
  const misfit = (meant?: string): Result<never, Misfit> =>
    error({ reason: `must be ${wantedBy(field)}, but is \`${shown(given)}\``, ...defined({ meant }) });
  if (typeof given === 'object') return misfit();
  switch (field.type) {
    case 'string':
      return ok(String(given));
    case 'number': {
      const number = typeof given === 'string' && NUMBER.test(given) ? Number(given) : given;
      const isExact = typeof number === 'number' && Number.isFinite(number);
      return isExact && !(Number.isInteger(number) && !Number.isSafeInteger(number)) ? ok(number) : misfit();
    }
    case 'boolean':
      if (typeof given === 'boolean') return ok(given);
      return given === 'true' || given === 'false' ? ok(given === 'true') : misfit();
    case 'choice': {
      const choices = field.choices ?? [];
      const word = String(given);
      return choices.includes(word) ? ok(word) : misfit(nearest(word, choices));
    }
    case 'file': {
      const reason = checkFile(String(given));
      return reason === undefined
        ? ok(String(given))
        : error({ reason: `must be ${wantedBy(field)}, but \`${shown(given)}\` ${reason}` });
    }
    default:
      return unreachable(field.type);
  }
}

/** `a number`; for choices, `a`, `b` or `c`. */
export function wantedBy({ type, choices = [] }: Field): string {
  switch (type) {
    case 'string':
      return 'text';
    case 'number':
      return 'a number';
    case 'boolean':
      return '`true` or `false`';
    case 'file':
      return 'a file in the workspace';
    case 'choice': {
      const quoted = choices.map((choice) => `\`${choice}\``);
      const last = quoted.pop() ?? '';
      if (last === '') return 'one of its choices';
      return quoted.length === 0 ? last : `${quoted.join(', ')} or ${last}`;
    }
    default:
      return unreachable(type);
  }
}

function shown(value: JsonValue): string {
  const line = jsonText(value).replace(/\s+/g, ' ').trim();
  return line.length > LONGEST_SHOWN ? `${line.slice(0, LONGEST_SHOWN)}…` : line;
}
