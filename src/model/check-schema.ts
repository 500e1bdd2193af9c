import vm from 'node:vm';
import { type OutputUnit, Validator } from '@cfworker/json-schema';
import type { JsonObject, JsonValue } from './json.ts';

/**
 * The schema comes from the user and the value from the agent: with a `pattern` such as `^(a+)+$`, an answer could block the program for
 * hours. Long values get more time.
 */
const LONGEST_MS = 500;
const LONGEST_MS_PER_MEGABYTE = 3000;

/**
 * How a value violates a JSON Schema, one sentence each; empty if it matches. An unusable schema, or a value that cannot be checked
 * in time, is reported the same way. No code is generated from a schema, and nothing is fetched for it.
 */
export function checkSchema(schema: JsonObject, value: JsonValue): readonly string[] {
  try {
    return errorsOf(schema, value).filter(isCause).map(describe);
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ERR_SCRIPT_EXECUTION_TIMEOUT')
      return ['checking it against the schema takes too long'];
    if (cause instanceof RangeError)
      return ['it is nested too deeply for the schema, or the schema refers to itself'];
    return [`the schema cannot be used: ${(cause as Error).message.split('\n', 1)[0]}`];
  }
}

/** In a separate context, because only there can work be stopped by a timeout. */
function errorsOf(schema: JsonObject, value: JsonValue): readonly OutputUnit[] {
  const timeout = LONGEST_MS + Math.ceil((JSON.stringify(value).length * LONGEST_MS_PER_MEGABYTE) / 1e6);
  const validate = () => new Validator(schema, draftOf(schema), false).validate(value).errors;
  return vm.runInNewContext('validate()', { validate }, { timeout });
}

/** Errors that only repeat those of a part of the value. */
const REPEATING = new Set([
  'properties',
  'items',
  'prefixItems',
  'allOf',
  '$ref',
  'patternProperties',
  'dependentSchemas',
]);

function isCause(error: OutputUnit): boolean {
  return !REPEATING.has(error.keyword) && error.keyword !== 'false';
}

function describe(error: OutputUnit): string {
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
