import fs from 'node:fs';
import { errnoWords } from '../../model/describe-failure.ts';
import { isJsonObject, type JsonObject, type JsonValue, parseJson, whyNotRead } from '../../model/json.ts';
import { error, ok, type Result } from '../../model/result.ts';
import { errnoOf } from '../../store/errno.ts';

/** `--context` overrides `--context-file`; both override `context` in the workflow. The error is a sentence for the user. */
export function contextFrom(given: {
  readonly pairs: readonly string[];
  readonly file?: string;
  /** `key=value`, a JSON object, or `@` and a file with one. */
  readonly inputs?: readonly string[];
}): Result<JsonObject, string> {
  const context: { [key: string]: JsonValue } = Object.create(null);
  if (given.file !== undefined) {
    const read = readContextFile(given.file);
    if (read.type === 'error') return read;
    for (const [key, value] of Object.entries(read.value)) if (value !== undefined) context[key] = value;
  }
  const pairs = readPairs('--context', given.pairs);
  if (pairs.type === 'error') return pairs;
  Object.assign(context, pairs.value);
  for (const input of given.inputs ?? []) {
    const read = readGiven(input);
    if (read.type === 'error') return read;
    Object.assign(context, read.value);
  }
  return ok(context);
}

function readGiven(input: string): Result<JsonObject, string> {
  if (input.startsWith('@')) return readContextFile(input.slice(1), 'input file');
  if (!input.trimStart().startsWith('{')) return readPairs('--input', [input]);
  try {
    const value: unknown = parseJson(input);
    return isJsonObject(value) ? ok(value) : error(`\`--input ${input}\` is not a JSON object`);
  } catch (problem) {
    return error(`\`--input ${input}\` is ${whyNotRead(problem)}`);
  }
}

/** `key=value`, as given to a repeatable option. */
export function readPairs(option: string, pairs: readonly string[]): Result<JsonObject, string> {
  const values: { [key: string]: JsonValue } = Object.create(null);
  for (const pair of pairs) {
    const at = pair.indexOf('=');
    const key = pair.slice(0, Math.max(at, 0));
    if (!/^[A-Za-z0-9_-]+$/.test(key))
      return error(
        `\`${option} ${pair}\` is not \`key=value\` with a key of letters, digits, \`_\` and \`-\``,
      );
    values[key] = pair.slice(at + 1);
  }
  return ok(values);
}

function readContextFile(file: string, what = 'context file'): Result<JsonObject, string> {
  let text: string;
  try {
    text = fs.readFileSync(file, 'utf8');
  } catch (problem) {
    return error(`cannot read the ${what} \`${file}\`: ${errnoWords(errnoOf(problem))}`);
  }
  try {
    const value: unknown = parseJson(text);
    return isJsonObject(value) ? ok(value) : error(`the ${what} \`${file}\` is not a JSON object`);
  } catch (problem) {
    return error(`the ${what} \`${file}\` is ${whyNotRead(problem)}`);
  }
}
