/** The `values` of a step: typed results that it left in files, read once it has succeeded. */
import type { StampFilesInput } from '../effects/contracts.ts';
import type { Failure } from '../model/failure.ts';
import { type StepKey, sideKey } from '../model/ids.ts';
import { type JsonValue, MAX_ANSWER_DEPTH, parseJson, whyNotRead } from '../model/json.ts';
import { numberIn } from '../model/number-in.ts';
import { outputText, withoutFinalNewlines } from '../model/output-text.ts';
import type { StepRecord } from '../model/record.ts';
import { error, ok, type Result } from '../model/result.ts';
import { unreachable } from '../model/unreachable.ts';
import { note } from '../steps/notes.ts';
import { plainData } from '../store/plain-data.ts';
import type { StepCall } from './block.ts';
import type { ValueSource } from './definition.ts';
import { renderText } from './render.ts';
import { shownValue } from './shown-value.ts';

const MAX_BYTES = 1024 * 1024;
const MOST_LINES = 10_000;

/** What is known about the files of `values` before the step runs: path → stamp. */
export type StampsBefore = ReadonlyMap<string, string>;

/** Called before the step runs, so that a file left by an earlier run is not taken for its result. */
export async function stampValues(call: StepCall): Promise<StampsBefore> {
  const { block, step, key } = call;
  const isUnchecked = block.options.dryRun === true || (block.replays === true && step.type === 'provider');
  const paths = Object.values(isUnchecked ? {} : (step.values ?? {})).flatMap(({ file, fresh }) => {
    const path = renderText(block, file);
    return fresh && path.type === 'ok' ? [path.value] : [];
  });
  return paths.length === 0 ? new Map() : stampsOf(call, sideKey(key, 'stamps'), { paths, settle: true });
}

async function stampsOf({ block }: StepCall, key: StepKey, input: StampFilesInput): Promise<StampsBefore> {
  const { output } = await block.durable.step(key, 'stamp-files', input);
  return new Map(
    input.paths.flatMap((path, index) => {
      const stamp = output.stamps[index];
      return typeof stamp === 'string' ? [[path, stamp]] : [];
    }),
  );
}

export async function withValues(
  call: StepCall,
  record: StepRecord,
  before: StampsBefore,
): Promise<StepRecord> {
  const { block, step, key } = call;
  if (step.values === undefined || record.status !== 'completed' || block.options.dryRun === true)
    return record;
  const after =
    before.size === 0
      ? before
      : await stampsOf(call, sideKey(key, 'stamps-after'), { paths: [...before.keys()] });
  const values: { [name: string]: JsonValue } = Object.create(null);
  const files: string[] = [];
  for (const [name, source] of Object.entries(step.values)) {
    const path = renderText(block, source.file);
    if (path.type === 'error') return recorded(call, record, failed(path.error));
    const file = path.value;
    const isOld = source.fresh && before.has(file) && before.get(file) === after.get(file);
    const read = isOld ? error(unwritten(name, file)) : await readValue(call, name, { ...source, file });
    if (read.type === 'error') return recorded(call, record, failed(read.error));
    values[name] = read.value;
    files.push(file);
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

function unwritten(name: string, file: string): Failure {
  const message = `the value \`${name}\` cannot be read: \`${file}\` was there before, and the step did not write it (\`fresh: false\` reads it anyway)`;
  return { type: 'invalid-output', reason: 'invalid', message };
}

async function readValue(
  { block, key }: StepCall,
  name: string,
  { file, type }: Pick<ValueSource, 'type'> & { readonly file: string },
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
