import { isJsonObject, type JsonObject } from '../../model/json.ts';
import { error, ok, type Result } from '../../model/result.ts';
import type { AnswerSchema, SchemaIssue, StandardSchema } from '../written/standard-schema.ts';
import { Mistake } from './mistake.ts';

/** The versions of JSON Schema that are asked for, the first that the library can give. */
const TARGETS = ['draft-2020-12', 'draft-07'];

export function schemaOf<Data>(schema: AnswerSchema<Data>): StandardSchema<unknown, Data> {
  return '~standard' in schema ? schema : schema.schema;
}

/** What an agent is asked for. `call` names the call, for a schema that cannot describe itself. */
export function jsonSchemaOf(schema: AnswerSchema, call: string): JsonObject {
  if (!('~standard' in schema)) return schema.jsonSchema;
  const { vendor, jsonSchema } = schema['~standard'];
  for (const target of jsonSchema === undefined ? [] : TARGETS) {
    try {
      const made: unknown = jsonSchema?.input({ target });
      if (isJsonObject(made)) return made;
    } catch {
      // The library does not know this version.
    }
  }
  const help =
    vendor === 'valibot'
      ? '`toStandardJsonSchema(schema)` of `@valibot/to-json-schema` gives one that can'
      : 'pass `{schema, jsonSchema}`';
  throw new Mistake(`the schema of \`${call}\`, by ${vendor}, cannot be turned into a JSON Schema: ${help}`);
}

export interface SchemaFinding {
  /** Names of fields, the outermost first. */
  readonly path: readonly string[];
  /** With the path: `base: Expected string`. */
  readonly text: string;
}

/** What the schema makes of the value, or its findings. */
export async function findings<Output>(
  schema: StandardSchema<unknown, Output>,
  value: unknown,
): Promise<Result<Output, readonly SchemaFinding[]>> {
  const found = await schema['~standard'].validate(value);
  return found.issues === undefined ? ok(found.value) : error(found.issues.map(findingIn));
}

export async function validated<Output>(
  schema: StandardSchema<unknown, Output>,
  value: unknown,
): Promise<Result<Output, readonly string[]>> {
  const found = await findings(schema, value);
  return found.type === 'ok' ? found : error(found.error.map(({ text }) => text));
}

function findingIn({ message, path: parts = [] }: SchemaIssue): SchemaFinding {
  const path = parts.map((part) => String(typeof part === 'object' ? part.key : part));
  return { path, text: path.length === 0 ? message : `${path.join('.')}: ${message}` };
}
