/** The scalar values in workflow files. Editors show the descriptions. */
import * as v from 'valibot';
import type { JsonObject, JsonValue } from '../../model/json.ts';

/** A timer can wait at most 2^31 ms. */
const MAX_SECONDS = 2_000_000;
const MAX_MS = MAX_SECONDS * 1000;

export const NAME_PATTERN = /^(?!_end$|__proto__$)[A-Za-z_][A-Za-z0-9_-]{0,99}$/;
export const VARIABLE_NAME_PATTERN = /^(?!__proto__$)[A-Za-z_][A-Za-z0-9_]{0,99}$/;
export const POINTER_PATTERN =
  /^(?:steps\.[A-Za-z_][A-Za-z0-9_-]*\.(?:lines|files|values(?:\.[^.\s]+)+|(?:json|results|unmerged)(?:\.[^.\s]+)*)|context(?:\.[^.\s]+)+)$/;
export const VARIABLE_ALONE = /^\$\{[^}\n]+\}$/;

type Scalar = string | number | boolean;

// One schema of each kind serves all values: a run makes none for each of the two hundred keys.
const STRING = v.string();
const NUMBER = v.number();
const BOOLEAN = v.boolean();
const SCALAR = v.union([STRING, NUMBER, BOOLEAN]);
const AS_WRITTEN = v.metadata<Scalar, { readonly reads: 'source' }>({ reads: 'source' });
const AS_JSON = v.metadata<Scalar, { readonly reads: 'json' }>({ reads: 'json' });
const TO_TEXT = v.transform<Scalar, string>(String);
const NOT_EMPTY = v.nonEmpty<string, string>('must not be empty');
const WHOLE = v.integer<number, string>('must be a whole number');
const MORE_THAN_0 = v.gtValue<number, number, string>(0, 'must be more than 0');
const NOT_NEGATIVE = v.minValue<number, number, string>(0, 'must not be negative');
const MOST_SECONDS = v.maxValue<number, number, string>(
  MAX_SECONDS,
  `must be at most ${MAX_SECONDS} (23 days)`,
);

/** Any scalar, as the text it is written as: `1.10` stays `1.10`. */
export function text(description: string) {
  return v.pipe(SCALAR, v.description(description), AS_WRITTEN, TO_TEXT);
}

/** Any scalar, as its JSON text, which is used for comparison: `True` is `true`, `1.0` is `1`. */
export function comparable(description: string) {
  return v.pipe(SCALAR, v.description(description), AS_JSON, TO_TEXT);
}

/** Text that cannot be written as a number or a word such as `true`. */
export function words(description: string) {
  return v.pipe(STRING, NOT_EMPTY, v.description(description));
}

/** Text of several lines, usually written with `|`. */
export function textBlock(description: string) {
  return v.pipe(STRING, v.regex(/\S/, 'must not be empty'), v.description(description));
}

export function filePath(description: string) {
  return words(`${description} Relative to the workspace.`);
}

export function stepName(description: string) {
  return v.pipe(
    STRING,
    v.regex(
      NAME_PATTERN,
      'must be letters, digits, `_` and `-`, must not start with a digit, and must not be `_end` or `__proto__`',
    ),
    v.description(description),
  );
}

/** A reference to a step; a rule checks that it exists. */
export function stepReference(description: string) {
  return words(description);
}

export function environmentName(description: string) {
  return v.pipe(
    STRING,
    v.regex(VARIABLE_NAME_PATTERN, 'must be the name of an environment variable: letters, digits and `_`'),
    v.description(description),
  );
}

export function seconds(description: string) {
  return v.pipe(NUMBER, MORE_THAN_0, MOST_SECONDS, v.description(description));
}

/** Like `seconds`, but 0 is allowed. */
export function pauseSeconds(description: string) {
  return v.pipe(NUMBER, NOT_NEGATIVE, MOST_SECONDS, v.description(description));
}

export function milliseconds(description: string) {
  return v.pipe(
    NUMBER,
    WHOLE,
    NOT_NEGATIVE,
    v.maxValue(MAX_MS, `must be at most ${MAX_MS} (23 days)`),
    v.description(description),
  );
}

export function wholeNumber(description: string, range: { readonly min: number; readonly max?: number }) {
  const max = range.max ?? Number.MAX_SAFE_INTEGER;
  return v.pipe(
    NUMBER,
    WHOLE,
    v.minValue(range.min, `must be at least ${range.min}`),
    v.maxValue(max, `must be at most ${max}`),
    v.description(description),
  );
}

export function amount(description: string) {
  return v.pipe(NUMBER, MORE_THAN_0, v.description(description));
}

export function flag(description: string) {
  return v.pipe(BOOLEAN, v.description(description));
}

export function oneOf<const Options extends readonly string[]>(options: Options, description: string) {
  return v.pipe(v.picklist(options), v.description(description));
}

const ARGUMENTS = v.array(text('One argument.'));
const PATHS = v.array(filePath('A path or glob.'));

export function argv(description: string) {
  return v.pipe(
    ARGUMENTS,
    v.nonEmpty('must name a program'),
    v.description(`${description} A list of arguments, run without a shell.`),
  );
}

export function globs(description: string) {
  return v.pipe(PATHS, v.description(description));
}

/** Any JSON value. */
export const json = v.unknown() as v.GenericSchema<JsonValue>;

const RECORD = v.record(STRING, json);

export function jsonRecord(description: string) {
  return v.pipe(RECORD, v.description(description));
}

export const jsonObject = RECORD as v.GenericSchema<JsonObject>;

/** The label of workers, or `at:` and the name of one. */
export function workerLabel(description: string) {
  return v.pipe(
    v.string(),
    v.regex(
      /^(?:at:)?(?!__proto__$)[a-z0-9][a-z0-9_-]{0,49}$/,
      'must be a label of lower-case letters, digits, `-` and `_`, or `at:` and the name of a worker',
    ),
    v.description(description),
  );
}
