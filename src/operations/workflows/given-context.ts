import fs from 'node:fs';
import { errnoWords } from '../../model/describe-failure.ts';
import { isJsonObject, type JsonObject, type JsonValue, parseJson, whyNotRead } from '../../model/json.ts';
import { error, ok, type Result } from '../../model/result.ts';
import { errnoOf } from '../../store/errno.ts';

/** `--context` overrides `--context-file`; both override `context` in the workflow. The error is a sentence for the user. */
export function contextFrom(given: {
  readonly pairs: readonly string[];
  readonly file?: string;
}): Result<JsonObject, string> {
  const context: { [key: string]: JsonValue } = Object.create(null);
  if (given.file !== undefined) {
    const read = readContextFile(given.file);
    if (read.type === 'error') return read;
    for (const [key, value] of Object.entries(read.value)) if (value !== undefined) context[key] = value;
  }
  const pairs = readPairs('--context', given.pairs);
  return pairs.type === 'ok' ? ok(Object.assign(context, pairs.value)) : pairs;
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

function readContextFile(file: string): Result<JsonObject, string> {
  let text: string;
  try {
    text = fs.readFileSync(file, 'utf8');
  } catch (problem) {
    return error(`cannot read the context file \`${file}\`: ${errnoWords(errnoOf(problem))}`);
  }
  try {
    const value: unknown = parseJson(text);
    return isJsonObject(value) ? ok(value) : error(`the context file \`${file}\` is not a JSON object`);
  } catch (problem) {
    return error(`the context file \`${file}\` is ${whyNotRead(problem)}`);
  }
}
