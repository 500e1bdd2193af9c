import type { ProcessInput, RunCommandInput } from '../../effects/contracts.ts';
import { recordOf } from '../../engine/record-of.ts';
import type { RetryPolicy } from '../../engine/retry.ts';
import { defined } from '../../model/defined.ts';
import type { StepRecord } from '../../model/record.ts';
import { chooseSandbox } from '../../model/sandbox.ts';
import { withinBudget } from '../../steps/budget.ts';
import { COMMAND_RETRY } from '../../steps/retry-policy.ts';
import { endOf } from '../../steps/site.ts';
import type { Capture, CommandOptions, CommandResult, ProcessOptions } from '../written/calls.ts';
import { milliseconds } from './durations.ts';
import { stepFailed } from './failed-calls.ts';
import { COMMAND, COMMAND_OPTIONS, checkOptions, checkValue } from './given-options.ts';
import type { Scope } from './scope.ts';

export function callCommand(
  scope: Scope,
  name: string,
  { argv, options = {} }: { readonly argv: readonly string[]; readonly options?: CommandOptions | undefined },
): Promise<CommandResult> {
  return scope.call(name, async (call) => {
    const { block, key } = call;
    checkValue(scope, `the command of \`${name}\``, argv, COMMAND);
    checkOptions(scope, name, options, COMMAND_OPTIONS);
    const input: RunCommandInput = {
      argv: [...argv],
      ...processInput(options),
      ...defined({
        stdinFile: options.stdinFile,
        successCodes: options.successCodes,
        sandbox: chooseSandbox(options.sandbox),
      }),
      capture: options.capture ?? 'text',
    };
    scope.execution.host.maskSecrets?.(input.secrets ?? []);
    const stepped = await block.durable.step(key, 'run-command', input, {
      retry: retryOf(scope, COMMAND_RETRY, options),
      ...scope.compared,
      ...withinBudget(block),
    });
    const record = recordOf(stepped);
    if (record.failure !== undefined && options.allowFailure !== true)
      throw stepFailed(scope, call, { failure: record.failure, retryKeys: endOf(call, record).retryKeys });
    return commandResult(record);
  });
}

function commandResult(record: StepRecord): CommandResult<Capture> {
  const { exitCode, output = '', lines = [], json, truncated = false, durationMs, failure } = record;
  return {
    ...{ exitCode, lines, truncated, durationMs },
    stdout: output.replace(/\r?\n$/, ''),
    json: json as never,
    ...defined({ failure }),
  };
}

export function processInput(
  options: ProcessOptions & { readonly outputFile?: string },
): Omit<ProcessInput, 'capture'> {
  const { cwd, env, secrets, timeout, idleTimeout, outputFile } = options;
  return defined({
    ...{ cwd, env, secrets, outputFile },
    timeoutMs: timeout === undefined ? undefined : milliseconds(timeout),
    idleTimeoutMs: idleTimeout === undefined ? undefined : milliseconds(idleTimeout),
  });
}

/** What the call says, then the command line, then what is usual. */
export function retryOf(
  { execution }: Scope,
  usual: RetryPolicy,
  { retries, retryDelay }: Pick<ProcessOptions, 'retries' | 'retryDelay'>,
): RetryPolicy {
  const { maxRetries, retryDelayMs } = execution.input.options;
  return {
    ...usual,
    ...defined({
      max: retries ?? maxRetries,
      delayMs: retryDelay === undefined ? retryDelayMs : milliseconds(retryDelay),
    }),
  };
}
