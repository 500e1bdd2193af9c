/** The `values` of a step: typed results that it left in files, read once it has succeeded. */
import type { Failure } from '../model/failure.ts';
import { sideKey } from '../model/ids.ts';
import { type JsonValue, MAX_ANSWER_DEPTH, parseJson, whyNotRead } from '../model/json.ts';
import { numberIn } from '../model/number-in.ts';
import { outputText, withoutFinalNewlines } from '../model/output-text.ts';
import type { StepRecord } from '../model/record.ts';
import { error, ok, type Result } from '../model/result.ts';
import { unreachable } from '../model/unreachable.ts';
import { plainData } from '../store/plain-data.ts';
import type { StepCall } from './block.ts';
import type { ValueSource } from './definition.ts';
import { note } from './notes.ts';
import { renderText } from './render.ts';
import { shownValue } from './shown-value.ts';

const MAX_BYTES = 1024 * 1024;
const MOST_LINES = 10_000;

export async function withValues(call: StepCall, record: StepRecord): Promise<StepRecord> {
  const { block, step } = call;
  if (step.values === undefined || record.status !== 'completed' || block.options.dryRun === true)
    return record;
  const values: { [name: string]: JsonValue } = Object.create(null);
  const files: string[] = [];
  for (const [name, source] of Object.entries(step.values)) {
    const path = renderText(block, source.file);
    const read = path.type === 'error' ? path : await readValue(call, name, { ...source, file: path.value });
    if (read.type === 'error') return recorded(call, record, failed(read.error));
    values[name] = read.value;
    if (path.type === 'ok') files.push(path.value);
  }
  const artifacts = [...new Set([...(record.artifacts ?? []), ...files])];
  return recorded(call, record, { values: { ...values }, artifacts });
}

async function recorded(
  { block, key }: StepCall,
  record: StepRecord,
  change: Partial<StepRecord>,
): Promise<StepRecord> {
  await note(block, { key, side: 'values' }, { type: 'record', record: change });
  return { ...record, ...change };
}

function failed(failure: Failure): Partial<StepRecord> {
  return { status: 'failed', exitCode: 2, outcome: failure.type, failure };
}

async function readValue(
  { block, key }: StepCall,
  name: string,
  { file, type }: ValueSource,
): Promise<Result<JsonValue, Failure>> {
  const { output } = await block.durable.step(sideKey(key, `value-${name}`), 'read-file', {
    path: file,
    maxBytes: MAX_BYTES,
  });
  if (output.failure !== undefined) return error(output.failure);
  const why =
    output.text === undefined
      ? 'does not exist'
      : output.truncated === true
        ? 'is larger than 1 MiB'
        : undefined;
  const value = why === undefined ? parseValue(output.text ?? '', type) : error(why);
  if (value.type === 'ok') return value;
  const message = `the value \`${name}\` cannot be read: \`${file}\` ${value.error}`;
  return error({ type: 'invalid-output', reason: 'invalid', message });
}

function parseValue(text: string, type: ValueSource['type']): Result<JsonValue, string> {
  const short = withoutFinalNewlines(text);
  switch (type) {
    case 'string':
      return ok(short);
    case 'number': {
      const value = numberIn(short);
      return value === undefined ? error(`contains ${shownValue(short)}, not a number`) : ok(value);
    }
    case 'boolean': {
      const word = short.trim();
      return word === 'true' || word === 'false'
        ? ok(word === 'true')
        : error(`contains ${shownValue(short)}, not \`true\` or \`false\``);
    }
    case 'json':
      try {
        return ok(plainData(parseJson(text.replace(/^\uFEFF/, ''), MAX_ANSWER_DEPTH)));
      } catch (cause) {
        return error(`is ${whyNotRead(cause)}`);
      }
    case 'lines': {
      const lines = text === '' ? [] : outputText(text, 'lines').split('\n');
      return lines.length > MOST_LINES ? error(`has more than ${MOST_LINES} lines`) : ok(lines);
    }
    default:
      return unreachable(type);
  }
}
