import { Validator } from '@cfworker/json-schema';
import type { JsonObject, JsonValue } from './json.ts';

/**
 * How a value breaks a JSON Schema, one sentence each; none: it matches. A schema that cannot be used is told in the same way.
 * No code is generated from a schema, and nothing is fetched for it.
 */
export function checkSchema(schema: JsonObject, value: JsonValue): readonly string[] {
  try {
    const { errors } = new Validator(schema, draftOf(schema), false).validate(value);
    return errors.filter(isCause).map(describe);
  } catch (cause) {
    return [`the schema cannot be used: ${(cause as Error).message.split('\n', 1)[0]}`];
  }
}

interface SchemaError {
  readonly keyword: string;
  readonly error: string;
  readonly instanceLocation: string;
}

/** These repeat what is said of a part of the value. */
const REPEATING = new Set([
  'properties',
  'items',
  'prefixItems',
  'allOf',
  '$ref',
  'patternProperties',
  'dependentSchemas',
]);

function isCause(error: SchemaError): boolean {
  return !REPEATING.has(error.keyword) && error.keyword !== 'false';
}

function describe(error: SchemaError): string {
  const place = error.instanceLocation.replace(/^#\/?/, '');
  const where = place === '' ? 'the value' : `\`${place}\``;
  const what = error.error.replace(/\.$/, '');
  return `${where}: ${what.charAt(0).toLowerCase()}${what.slice(1)}`;
}

function draftOf(schema: JsonObject): '4' | '7' | '2019-09' | '2020-12' {
  const named = typeof schema['$schema'] === 'string' ? schema['$schema'] : '';
  if (named.includes('draft-04')) return '4';
  if (named.includes('draft-06') || named.includes('draft-07')) return '7';
  return named.includes('2019-09') ? '2019-09' : '2020-12';
}
