import type { CalledFunction, RunFunctionInput } from '../../effects/run-function.ts';
import type { EffectContext } from '../../engine/durable.ts';
import { recordOf } from '../../engine/record-of.ts';
import { NO_RETRY } from '../../engine/retry.ts';
import { defined } from '../../model/defined.ts';
import type { Failure } from '../../model/failure.ts';
import type { JsonValue } from '../../model/json.ts';
import { error, ok, type Result } from '../../model/result.ts';
import { withinBudget } from '../../steps/budget.ts';
import { endOf, wholeKey } from '../../steps/site.ts';
import type { DoOptions, DoSite } from '../written/calls.ts';
import { isOwnEffect, type OwnEffect } from '../written/workflow.ts';
import { retryOf } from './commands.ts';
import { stepFailed } from './failed-calls.ts';
import { checkOptions, DO_OPTIONS } from './given-options.ts';
import { Mistake } from './mistake.ts';
import { placeIn } from './place.ts';
import { describeNotJson, plainJson } from './plain-json.ts';
import { validated } from './schemas.ts';
import type { Scope } from './scope.ts';
import { stackOfThrown, wordsOfThrown } from './thrown.ts';

type Body = (site: DoSite) => unknown;

const ADVICE = 'await it; the function of ctx.do cannot make calls of its own';

export function callFunction(
  scope: Scope,
  name: string,
  given: readonly [Body, DoOptions?] | readonly [OwnEffect<unknown, unknown>, unknown, DoOptions?],
): Promise<unknown> {
  return scope.call(
    name,
    async (call) => {
      const { block, key } = call;
      const [body] = given;
      const own = isOwnEffect(body) ? body : undefined;
      if (own === undefined && typeof body !== 'function')
        throw scope.mistake(`\`${name}\` needs a function, or an effect made with effect()`);
      const options = (own === undefined ? given[1] : given[2]) as DoOptions | undefined;
      checkOptions(scope, name, options, DO_OPTIONS);
      const input = own === undefined ? {} : await effectInput(scope, own, { name, input: given[1] });
      const { functions } = scope.execution.host;
      const whole = wholeKey(block, key);
      functions.set(whole, own === undefined ? called(scope, body as Body) : calledEffect(scope, own));
      try {
        const stepped = await block.durable.step(key, 'run-function', input, {
          retry: retryOf(scope, NO_RETRY, { retries: 0, ...options }),
          ...scope.compared,
          ...withinBudget(block),
        });
        const record = recordOf(stepped);
        if (record.failure !== undefined)
          throw stepFailed(scope, call, {
            failure: record.failure,
            retryKeys: endOf(call, record).retryKeys,
          });
        return own === undefined ? record.json : await outputOf(scope, own, { name, value: record.json });
      } finally {
        functions.delete(whole);
      }
    },
    ADVICE,
  );
}

/** The input as it was given is recorded; what the schema makes of it goes to the function. */
async function effectInput(
  scope: Scope,
  own: OwnEffect<unknown, unknown>,
  { name, input }: { readonly name: string; readonly input: unknown },
): Promise<RunFunctionInput> {
  const plain = plainJson(input);
  if (plain.type === 'error')
    throw scope.mistake(`the input of \`${name}\`: ${describeNotJson(plain.error)}`);
  const fits = await validated(own.input, plain.value);
  if (fits.type === 'error')
    throw scope.mistake(`the input of \`${name}\` does not fit: ${fits.error.join('; ')}`);
  return { effect: own.name, input: plain.value };
}

async function outputOf(
  scope: Scope,
  own: OwnEffect<unknown, unknown>,
  { name, value }: { readonly name: string; readonly value: JsonValue | undefined },
): Promise<unknown> {
  const fits = await validated(own.output, value);
  if (fits.type === 'ok') return fits.value;
  throw scope.mistake(`the output of \`${name}\` does not fit: ${fits.error.join('; ')}`);
}

function called(scope: Scope, body: Body): CalledFunction {
  return (_, context) => attempt(scope, () => body(siteOf(scope, context)));
}

function calledEffect(scope: Scope, own: OwnEffect<unknown, unknown>): CalledFunction {
  return (given, context) =>
    attempt(scope, async () => {
      const input = await validated(own.input, given.input);
      if (input.type === 'error') throw new Mistake(input.error.join('; '));
      return own.run(input.value as never, siteOf(scope, context));
    });
}

async function attempt(scope: Scope, run: () => unknown): Promise<Result<JsonValue | undefined, Failure>> {
  try {
    const value = await run();
    if (value === undefined) return ok(undefined);
    const plain = plainJson(value);
    return plain.type === 'ok'
      ? plain
      : error({
          type: 'program-error',
          message: `it returned something else than JSON: ${describeNotJson(plain.error)}`,
        });
  } catch (problem) {
    const { workspace, sources } = scope.execution.input;
    const at = placeIn(stackOfThrown(problem), { workspace, files: sources.map(({ file }) => file) });
    return error({ type: 'function-failed', message: wordsOfThrown(problem), ...defined({ at }) });
  }
}

function siteOf({ execution }: Scope, { key, attempt, signal, emit }: EffectContext): DoSite {
  return {
    ...{ signal, attempt, idempotencyKey: `${execution.input.runId}/${key}` },
    emit: (text) => emit({ type: 'message', text: String(text) }),
  };
}
