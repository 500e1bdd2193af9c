import { defined } from '../../../model/defined.ts';
import { type Field, type FieldType, readField } from '../../../model/field.ts';
import type { JsonValue } from '../../../model/json.ts';
import type { FieldSource } from '../../schema/field.ts';

export function fieldType({ type, choices }: FieldSource): FieldType {
  return type ?? (choices === undefined ? 'string' : 'choice');
}

/** A default that does not fit its type is left out; a rule has reported it. */
export function defineField(name: string, source: FieldSource, set?: JsonValue): Field {
  const { required, choices, description } = source;
  const given = set ?? source.default;
  const field: Field = {
    name,
    type: fieldType(source),
    required: given === undefined && (required ?? true),
    ...defined({ choices, description }),
  };
  if (given === undefined) return field;
  const read = readField(field, given, () => undefined);
  return read.type === 'ok' ? { ...field, default: read.value } : field;
}

/** In the order of the file. A value under `context` is the default of the input of its name. */
export function defineInputs(source: {
  readonly inputs?: { readonly [name: string]: FieldSource } | undefined;
  readonly context?: { readonly [key: string]: JsonValue } | undefined;
}): readonly Field[] {
  const { inputs = {}, context = {} } = source;
  return Object.entries(inputs).map(([name, field]) =>
    defineField(name, field, Object.hasOwn(context, name) ? context[name] : undefined),
  );
}
