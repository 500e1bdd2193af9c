/** The schema in the form the reader needs: what is allowed at a place, and how to name it. Each schema is converted once. */
import type * as v from 'valibot';

export type Shape =
  | ObjectShape
  | {
      readonly type: 'record';
      readonly key: LeafShape;
      readonly value: () => Shape;
      readonly checks: Checks;
    }
  | { readonly type: 'list'; readonly item: () => Shape; readonly checks: Checks }
  | { readonly type: 'union'; readonly options: readonly Shape[] }
  | { readonly type: 'json' }
  | { readonly type: 'null' }
  | { readonly type: 'text'; readonly reads: 'source' | 'json' }
  | LeafShape;

export interface ObjectShape {
  readonly type: 'object';
  readonly entries: ReadonlyMap<string, Entry>;
  /** Entries that matter even if they are not in the file. */
  readonly expected: readonly (readonly [string, Entry])[];
  readonly checks: Checks;
}

export interface LeafShape {
  readonly type: 'leaf';
  readonly kind: 'string' | 'number' | 'boolean';
  /** The allowed words of a picklist. */
  readonly options?: readonly string[];
  readonly checks: Checks;
}

export interface Entry {
  readonly shape: () => Shape;
  readonly required: boolean;
  readonly fallback: unknown;
}

/** Each returns why a value of the right kind is invalid. */
export type Checks = readonly ((value: unknown) => string | undefined)[];

type AnySchema = v.GenericSchema & {
  readonly entries?: { readonly [key: string]: AnySchema };
  readonly item?: AnySchema;
  readonly key?: AnySchema;
  readonly value?: AnySchema;
  readonly wrapped?: AnySchema;
  readonly default?: unknown;
  readonly options?: readonly unknown[];
  readonly getter?: (input: unknown) => AnySchema;
  readonly pipe?: readonly AnyAction[];
};

interface AnyAction {
  readonly kind: string;
  readonly type: string;
  readonly metadata?: { readonly reads?: 'source' | 'json' };
  '~run'(dataset: { typed: true; value: unknown }, config: object): { issues?: { message: string }[] };
}

const shapes = new WeakMap<AnySchema, Shape>();

export function shapeOf(schema: v.GenericSchema<unknown, unknown>): Shape {
  const known = shapes.get(schema as AnySchema);
  if (known !== undefined) return known;
  const made = takeApart(schema as AnySchema);
  shapes.set(schema as AnySchema, made);
  return made;
}

function takeApart(schema: AnySchema): Shape {
  const checks = checksOf(schema);
  switch (schema.type) {
    case 'strict_object':
      return objectShape(schema, checks);
    case 'record': {
      const { key, value } = schema;
      if (key === undefined || value === undefined) break;
      return { type: 'record', key: leafOf(key), value: late(value), checks };
    }
    case 'array':
      if (schema.item === undefined) break;
      return { type: 'list', item: late(schema.item), checks };
    case 'union': {
      const reads = schema.pipe?.find((action) => action.type === 'metadata')?.metadata?.reads;
      if (reads !== undefined) return { type: 'text', reads };
      return { type: 'union', options: (schema.options ?? []).map((option) => shapeOf(option as AnySchema)) };
    }
    case 'lazy':
      if (schema.getter === undefined) break;
      return shapeOf(schema.getter(undefined));
    case 'unknown':
      return { type: 'json' };
    case 'null':
      return { type: 'null' };
    case 'string':
    case 'number':
    case 'boolean':
      return { type: 'leaf', kind: schema.type, checks };
    case 'picklist':
      return { type: 'leaf', kind: 'string', options: (schema.options ?? []).map(String), checks };
  }
  throw new Error(`a workflow schema of type \`${schema.type}\` cannot be read`);
}

function late(schema: AnySchema): () => Shape {
  let made: Shape | undefined;
  return () => {
    made ??= shapeOf(schema);
    return made;
  };
}

function leafOf(schema: AnySchema): LeafShape {
  const shape = shapeOf(schema);
  if (shape.type !== 'leaf') throw new Error('the keys of a record are plain words');
  return shape;
}

function objectShape(schema: AnySchema, checks: Checks): ObjectShape {
  const entries = new Map<string, Entry>();
  for (const [key, entry] of Object.entries(schema.entries ?? {})) {
    const optional = entry.type === 'optional' && entry.wrapped !== undefined;
    entries.set(key, {
      shape: late(optional && entry.wrapped !== undefined ? entry.wrapped : entry),
      required: !optional,
      fallback: optional ? entry.default : undefined,
    });
  }
  const expected = [...entries].filter(([, entry]) => entry.required || entry.fallback !== undefined);
  return { type: 'object', entries, expected, checks };
}

function checksOf(schema: AnySchema): Checks {
  const actions = schema.pipe?.filter((action) => action.kind === 'validation') ?? [];
  return actions.map((action) => (value) => action['~run']({ typed: true, value }, {}).issues?.[0]?.message);
}
