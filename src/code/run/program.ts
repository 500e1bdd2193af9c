/** The program `code`: runs a workflow that is written in TypeScript or JavaScript. */
import type { OrchestrateDurable } from '../../effects/contracts.ts';
import { isDivergence } from '../../engine/divergence.ts';
import { openLedger } from '../../engine/ledger.ts';
import { defined } from '../../model/defined.ts';
import type { Failure } from '../../model/failure.ts';
import type { StepKey } from '../../model/ids.ts';
import type { JsonValue } from '../../model/json.ts';
import type { CodeInput, CodeOutput } from '../input.ts';
import { Cancelled } from '../written/errors.ts';
import type { Workflow } from '../written/workflow.ts';
import { createContext } from './context.ts';
import { type CodeHost, Execution } from './execution.ts';
import { failureBehind, retryKeysOf } from './failed-calls.ts';
import { placeIn } from './place.ts';
import { Scope } from './scope.ts';
import { fitting, outputOf } from './workflows.ts';

export interface CodeRun {
  readonly workflow: Workflow;
  readonly input: CodeInput;
  readonly durable: OrchestrateDurable;
  readonly signal: AbortSignal;
  readonly host: CodeHost;
}

/** Throws the reason of a stop, and nothing else. */
export async function runCode(run: CodeRun): Promise<JsonValue> {
  const { output } = await executeCode(run);
  return output as unknown as JsonValue;
}

export interface Executed {
  readonly output: CodeOutput;
  readonly execution: Execution;
}

/** `onReplay`: only over the journal. */
export async function executeCode(
  run: CodeRun,
  onReplay?: (execution: Execution) => void,
): Promise<Executed> {
  const { workflow, input, durable, signal, host } = run;
  const ledger = { ...openLedger(), budget: workflow.budget };
  const execution = new Execution({ input, host, ledger, signal, isReplay: onReplay !== undefined });
  onReplay?.(execution);
  const scope = new Scope(execution, workflow, { durable, path: '', wholePath: '' });
  try {
    const output = await Promise.race([execution.ended, runWhole(scope, workflow)]);
    if (execution.isCancelled) throw signal.reason;
    if (execution.mistake !== undefined) throw execution.mistake;
    return { execution, output: { retryKeys: [], ...defined({ output }) } };
  } catch (problem) {
    scope.close();
    if (execution.isCancelled || problem instanceof Cancelled) throw signal.reason;
    if (signal.aborted && problem === signal.reason) throw problem;
    return { execution, output: failed(execution, problem) };
  }
}

async function runWhole(scope: Scope, workflow: Workflow): Promise<JsonValue | undefined> {
  const given = await fitting(scope, workflow, scope.execution.input.input);
  const value = await workflow.run(createContext(scope), given as never);
  await scope.end();
  return outputOf(scope, workflow, value);
}

function failed(execution: Execution, problem: unknown): CodeOutput {
  if (isDivergence(problem)) {
    const failure: Failure = { type: 'replay-mismatch', message: problem.message };
    return { failure, failedStep: problem.key, retryKeys: [] };
  }
  const behind = failureBehind(problem);
  if (execution.mistake === undefined && behind !== undefined && behind === problem) {
    const { failure, step } = behind;
    return { failure, failedStep: step as StepKey, retryKeys: retryKeysOf(behind) };
  }
  const shown = execution.mistake ?? problem;
  return {
    failure: programError(execution.input, shown),
    // An error made from a failed call: that call is tried again.
    retryKeys: behind === undefined || execution.mistake !== undefined ? [] : retryKeysOf(behind),
  };
}

function programError({ workspace, sources }: CodeInput, problem: unknown): Failure {
  const isError = problem instanceof Error;
  const message = isError
    ? `${problem.name === 'Mistake' ? '' : `${problem.name}: `}${problem.message}`
    : `it threw ${String(problem)}`;
  const stack = isError ? (problem.stack ?? '') : '';
  const at = placeIn(stack, { workspace, files: sources.map(({ file }) => file) });
  return { type: 'program-error', message, ...defined({ at }) };
}
