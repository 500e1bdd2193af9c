/** The program `code`: runs a workflow that is written in TypeScript or JavaScript. */
import type { OrchestrateDurable } from '../../effects/contracts.ts';
import { type Divergence, isDivergence } from '../../engine/divergence.ts';
import { openLedger } from '../../engine/ledger.ts';
import { isStop } from '../../engine/run-stop.ts';
import { defined } from '../../model/defined.ts';
import type { Failure } from '../../model/failure.ts';
import { type StepKey, sideKey } from '../../model/ids.ts';
import type { JsonValue } from '../../model/json.ts';
import { asContainer } from '../../steps/container.ts';
import { type EndedStep, type SiteCall, wholeKey } from '../../steps/site.ts';
import type { CodeInput, CodeOutput } from '../input.ts';
import type { Workflow } from '../written/workflow.ts';
import { createContext } from './context.ts';
import { type CodeHost, Execution } from './execution.ts';
import { failureBehind, retryKeysOf } from './failed-calls.ts';
import type { ObservedReplay } from './observed-replay.ts';
import { placeIn } from './place.ts';
import { runningPrograms } from './running-programs.ts';
import { Scope } from './scope.ts';
import { stackOfThrown, wordsOfThrown } from './thrown.ts';
import { fitting, outputOf } from './workflows.ts';

export interface CodeRun {
  readonly workflow: Workflow;
  readonly input: CodeInput;
  readonly durable: OrchestrateDurable;
  readonly signal: AbortSignal;
  readonly host: CodeHost;
}

/** Throws the reason of a stop, and nothing else. `replay`: only over the journal. */
export function runCode(run: CodeRun, replay?: ObservedReplay): Promise<CodeOutput> {
  const { workflow, input, durable, signal, host } = run;
  const ledger = { ...openLedger(), budget: workflow.budget };
  const execution = new Execution({ input, host, ledger, signal, replay });
  return runToEnd(new Scope(execution, workflow, { durable, path: '', wholePath: '' }));
}

/** As a step of a workflow file, whose budget it shares. Its output is the `json` of the step. */
export function runCalledCode(
  { block, key }: SiteCall,
  { workflow, input, signal, host }: Omit<CodeRun, 'durable'>,
  replay?: ObservedReplay,
): Promise<EndedStep> {
  const { durable, ledger } = block;
  const execution = new Execution({ input, host, ledger, signal, replay });
  const whole = wholeKey(block, key);
  replay?.owners.set(whole, 'code');
  const shown = { type: 'container', kind: 'call', title: workflow.name } as const;
  return asContainer({ block, key }, shown, async () => {
    const other = await rememberInput({ block, key }, execution);
    if (other !== undefined) return failed(execution, other);
    const scope = new Scope(execution, workflow, { durable, path: key, wholePath: whole });
    const { failure, retryKeys, output } = await runToEnd(scope);
    return { retryKeys, ...defined({ failure }), fields: defined({ json: output }) };
  });
}

/** The input is recorded, so that a replay sees whether it has changed. */
async function rememberInput(
  { block: { durable }, key }: SiteCall,
  execution: Execution,
): Promise<Divergence | undefined> {
  const { input, replay } = execution;
  const options = { syncWithNext: true, ...execution.compared() };
  try {
    await durable.step(sideKey(key, 'input'), 'remember', { value: input.input }, options);
    return undefined;
  } catch (problem) {
    if (!isDivergence(problem)) throw problem;
    if (replay !== undefined) replay.divergence ??= problem;
    return problem;
  }
}

async function runToEnd(scope: Scope): Promise<CodeOutput> {
  const { execution, workflow } = scope;
  runningPrograms.add(execution);
  try {
    const output = await Promise.race([execution.ended, runWhole(scope, workflow)]);
    if (execution.cancelledBy !== undefined) throw execution.cancelledBy;
    if (execution.mistake !== undefined) throw execution.mistake;
    return { retryKeys: [], ...defined({ output }) };
  } catch (problem) {
    await scope.close();
    if (execution.cancelledBy !== undefined) throw execution.cancelledBy;
    if (problem === execution.endedBy && isStop(problem)) throw problem;
    return failed(execution, problem);
  } finally {
    execution.release();
    runningPrograms.delete(execution);
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
  const at = placeIn(stackOfThrown(problem), { workspace, files: sources.map(({ file }) => file) });
  return { type: 'program-error', message: wordsOfThrown(problem), ...defined({ at }) };
}
