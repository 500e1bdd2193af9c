import vm from 'node:vm';
import { type OutputUnit, Validator } from '@cfworker/json-schema';
import type { JsonObject, JsonValue } from './json.ts';

/**
 * The schema comes from the user and the value from the agent: with a `pattern` such as `^(a+)+$`, an answer could block the program for
 * hours. Long values get more time.
 */
const LONGEST_MS = 500;
const LONGEST_MS_PER_MEGABYTE = 3000;
/** However busy the machine is. */
const LONGEST_BY_CLOCK_MS = 30_000;
const TIMED_OUT = 'ERR_SCRIPT_EXECUTION_TIMEOUT';

/**
 * How a value violates a JSON Schema, one sentence each; empty if it matches. An unusable schema, or a value that cannot be checked
 * in time, is reported the same way. No code is generated from a schema, and nothing is fetched for it.
 */
export function checkSchema(schema: JsonObject, value: JsonValue): readonly string[] {
  try {
    return errorsOf(schema, value).flatMap((error, index, all) =>
      isCause(error) ? describe(error, all[index + 1]) : [],
    );
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === TIMED_OUT)
      return ['checking it against the schema takes too long'];
    if (cause instanceof RangeError)
      return ['it is nested too deeply for the schema, or the schema refers to itself'];
    return [`the schema cannot be used: ${(cause as Error).message.split('\n', 1)[0]}`];
  }
}

/**
 * In a separate context, because only there can work be stopped by a timeout. That is by the clock: on a busy machine it comes before the check has had
 * its time of the processor, and then the check is repeated with a longer one.
 */
function errorsOf(schema: JsonObject, value: JsonValue): readonly OutputUnit[] {
  const limitMs = LONGEST_MS + Math.ceil((JSON.stringify(value).length * LONGEST_MS_PER_MEGABYTE) / 1e6);
  const validate = () => new Validator(schema, draftOf(schema), false).validate(value).errors;
  for (let timeout = limitMs; ; timeout *= 2) {
    const before = process.cpuUsage();
    try {
      return vm.runInNewContext('validate()', { validate }, { timeout });
    } catch (cause) {
      const { user, system } = process.cpuUsage(before);
      const hadItsTime = (user + system) / 1000 >= limitMs / 2;
      if ((cause as NodeJS.ErrnoException).code !== TIMED_OUT || hadItsTime || timeout > LONGEST_BY_CLOCK_MS)
        throw cause;
    }
  }
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

/** The library's messages in our words, where its own are hard to read. */
const WORDS: readonly (readonly [RegExp, string])[] = [
  [/^Instance does not have required property "(.*)"$/s, 'missing property `$1`'],
  [/^Instance type "(.*)" is invalid\. Expected "(.*)"$/s, 'expected $2, found $1'],
  [/^Instance does not match any of \[(.*)\]$/s, 'expected one of $1'],
  [/^Instance does not match (?!any |every |exactly |"then" |"else" )/, 'expected '],
  [/^Instance /, 'it '],
];

/** A property that is not allowed at all is followed by an error of the schema `false`. */
function describe(error: OutputUnit, next: OutputUnit | undefined): string {
  const place = error.instanceLocation.replace(/^#\/?/, '');
  const sentence = error.error.replace(/\.$/, '');
  const what = error.keyword === 'type' ? sentence.replaceAll('", "', ' or ') : sentence;
  const unknown = next?.keyword === 'false' ? /^Property "(.*)" does not match/s.exec(what)?.[1] : undefined;
  const [pattern, words] = WORDS.find(([each]) => each.test(what)) ?? [/^./s, what.charAt(0).toLowerCase()];
  const text = unknown === undefined ? what.replace(pattern, words) : `unknown property \`${unknown}\``;
  return place === '' ? text : `\`${place}\`: ${text}`;
}

function draftOf(schema: JsonObject): '4' | '7' | '2019-09' | '2020-12' {
  const named = typeof schema['$schema'] === 'string' ? schema['$schema'] : '';
  if (named.includes('draft-04')) return '4';
  if (named.includes('draft-06') || named.includes('draft-07')) return '7';
  return named.includes('2019-09') ? '2019-09' : '2020-12';
}
