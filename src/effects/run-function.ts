/**
 * Runs a function of a workflow in code: the one open member of the list of effects. The function is passed beside the input, by the key of
 * its call, since only data is recorded; so it runs in the process of the program.
 */
import type { Effect, EffectContext } from '../engine/durable.ts';
import type { Failure } from '../model/failure.ts';
import type { JsonValue } from '../model/json.ts';
import type { WorkOutput } from '../model/record.ts';
import type { Result } from '../model/result.ts';

export interface RunFunctionInput {
  /** The name of an effect of the user, and its input. */
  readonly effect?: string;
  readonly input?: JsonValue;
}

/** Answers with JSON, or with why it failed. */
export type CalledFunction = (
  input: RunFunctionInput,
  context: EffectContext,
) => Promise<Result<JsonValue | undefined, Failure>>;

/** How long a function may take after the run has stopped. */
const GRACE_MS = 5000;

/** The functions of the open calls, by whole key. */
export type FunctionTable = Map<string, CalledFunction>;

export function createRunFunction(functions: FunctionTable): Effect<RunFunctionInput, WorkOutput> {
  return async (input, context) => {
    const called = functions.get(context.key);
    if (called === undefined) throw new Error(`no function for \`${context.key}\``);
    const done = await unlessLeft(called(input, context), context.signal);
    if (done.type === 'error') return { exitCode: 1, outcome: done.error.type, failure: done.error };
    const value = done.value === undefined ? {} : ({ capture: 'json', json: done.value } as const);
    return { exitCode: 0, outcome: 'done', ...value };
  };
}

/** A function that does not heed its signal is left alone after a while: nothing of it is recorded. */
function unlessLeft<Value>(done: Promise<Value>, signal: AbortSignal): Promise<Value> {
  return new Promise((resolve, reject) => {
    let timer: NodeJS.Timeout | undefined;
    const stopped = (): void => {
      timer = setTimeout(() => reject(signal.reason), GRACE_MS);
    };
    if (signal.aborted) stopped();
    else signal.addEventListener('abort', stopped, { once: true });
    done.then(resolve, reject).finally(() => {
      clearTimeout(timer);
      signal.removeEventListener('abort', stopped);
    });
  });
}
