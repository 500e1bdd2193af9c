/** Calls that read, write and wait for files, and those that only remember something. */
import type { DocumentChange } from '../../effects/contracts.ts';
import { recordOf } from '../../engine/record-of.ts';
import { sideKey } from '../../model/ids.ts';
import type { JsonObject, JsonValue } from '../../model/json.ts';
import type { EffectOutput } from '../../model/record.ts';
import { withinBudget } from '../../steps/budget.ts';
import { type SiteCall, wholeKey } from '../../steps/site.ts';
import type { Duration, FilesOptions } from '../written/calls.ts';
import { milliseconds } from './durations.ts';
import { stepFailed } from './failed-calls.ts';
import { checkOptions, checkValue, FILES_OPTIONS, OBJECT, TEXT } from './given-options.ts';
import { describeNotJson, plainJson } from './plain-json.ts';
import type { Scope } from './scope.ts';

const FILES_WITHIN_MS = 3_600_000;
const POLL_MS = 1000;

export function waitForFiles(
  scope: Scope,
  name: string,
  { glob, options = {} }: { readonly glob: string; readonly options?: FilesOptions | undefined },
): Promise<readonly string[]> {
  return scope.call(name, async (call) => {
    const { block, key } = call;
    checkValue(scope, `the pattern of \`${name}\``, glob, TEXT);
    checkOptions(scope, name, options, FILES_OPTIONS);
    const startedAt = await block.durable.now(sideKey(key, 'began'));
    const { within = FILES_WITHIN_MS, atLeast = 1, poll = POLL_MS } = options;
    const stepped = await block.durable.step(
      key,
      'wait-for-files',
      { glob, timeoutMs: milliseconds(within), pollMs: milliseconds(poll), minCount: atLeast, startedAt },
      { ...scope.compared, ...withinBudget(block), since: startedAt },
    );
    const { failure, files = [] } = recordOf(stepped);
    const whole = wholeKey(block, key);
    if (failure !== undefined)
      throw stepFailed(scope, call, { failure, retryKeys: [whole, sideKey(whole, 'began')] });
    return files;
  });
}

export function readText(scope: Scope, name: string, path: string): Promise<string | undefined> {
  return scope.call(name, async (call) => {
    checkValue(scope, `the path of \`${name}\``, path, TEXT);
    const { output } = await call.block.durable.step(call.key, 'read-file', { path }, scope.compared);
    return succeeded(scope, call, output).text;
  });
}

export function writeText(
  scope: Scope,
  name: string,
  { path, text }: { readonly path: string; readonly text: string },
): Promise<void> {
  return scope.call(name, async (call) => {
    checkValue(scope, `the path of \`${name}\``, path, TEXT);
    checkValue(scope, `the text of \`${name}\``, text, TEXT);
    const { output } = await call.block.durable.step(call.key, 'write-file', { path, text }, scope.compared);
    succeeded(scope, call, output);
  });
}

export function changeDocument(
  scope: Scope,
  name: string,
  given: { readonly path: string; readonly changes: { readonly [member: string]: JsonValue | undefined } },
): Promise<JsonObject> {
  return scope.call(name, async (call) => {
    checkValue(scope, `the path of \`${name}\``, given.path, TEXT);
    checkValue(scope, `the changes of \`${name}\``, given.changes, OBJECT);
    const changes = Object.entries(given.changes).map(([member, value]): DocumentChange => {
      if (value === undefined) return { type: 'remove', at: [member] };
      const plain = plainJson(value);
      if (plain.type === 'error')
        throw scope.mistake(`\`${member}\` of \`${name}\`: ${describeNotJson(plain.error)}`);
      return { type: 'set', at: [member], value: plain.value };
    });
    const input = { path: given.path, changes, create: {} };
    const { output } = await call.block.durable.step(call.key, 'update-document', input, scope.compared);
    return succeeded(scope, call, output).document ?? {};
  });
}

function succeeded<Output extends EffectOutput>(scope: Scope, call: SiteCall, output: Output): Output {
  if (output.failure === undefined) return output;
  throw stepFailed(scope, call, { failure: output.failure, retryKeys: [wholeKey(call.block, call.key)] });
}

export function sleep(scope: Scope, name: string, duration: Duration): Promise<void> {
  return scope.call(name, async ({ block, key }) => {
    const ms = milliseconds(duration);
    const began = await block.durable.now(sideKey(key, 'began'));
    const at = new Date(Date.parse(began) + ms).toISOString();
    await block.durable.sleepUntil(key, at, scope.compared);
  });
}

/** The value of the first time it was asked for. */
export function remembered<Value>(
  scope: Scope,
  {
    name,
    read,
    check,
  }: { readonly name: string; readonly read: (value: JsonValue) => Value; readonly check?: () => void },
  value: JsonValue,
): Promise<Value> {
  return scope.call(name, async ({ block, key }) => {
    check?.();
    const { output } = await block.durable.step(key, 'remember', { value }, { syncWithNext: true });
    return read(output.value);
  });
}
