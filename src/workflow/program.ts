/** The program `workflow`: a whole workflow file, from its first step to its `finally`. */
import type { EffectMap, OrchestrateDurable } from '../effects/contracts.ts';
import type { Programs } from '../engine/durable.ts';
import type { Failure } from '../model/failure.ts';
import { type StepKey, stepKey } from '../model/ids.ts';
import type { JsonObject, JsonValue } from '../model/json.ts';
import type { StepRecord } from '../model/record.ts';
import type { Block, RunOptions } from './block.ts';
import { BRANCH_PROGRAM, runBranch } from './branch.ts';
import type { Step, WorkflowDefinition } from './definition.ts';
import { runSteps } from './run-steps.ts';
import { renderValues } from './steps/call.ts';
import { runFacts } from './variables.ts';

export const WORKFLOW_PROGRAM = 'workflow';

export interface WorkflowInput {
  readonly runId: string;
  readonly workspace: string;
  readonly definition: WorkflowDefinition;
  readonly context: JsonObject;
  readonly options: RunOptions;
  /** Empty the folder of processed tasks first. */
  readonly cleanProcessed?: boolean;
  /** Archive it after success: to this file, or to the run's own folder. */
  readonly archiveProcessed?: { readonly to?: string };
  /** Of `run-step`: the one step to run, and what it may see of an earlier run. */
  readonly only?: { readonly step: string; readonly records: { readonly [name: string]: StepRecord } };
}

export interface WorkflowOutput {
  readonly failure?: Failure;
  readonly failedStep?: StepKey;
  /** What a resumed run is to try again. */
  readonly retryKeys: readonly StepKey[];
  readonly outputs?: { readonly [name: string]: JsonValue };
}

export const workflowPrograms: Programs<EffectMap> = {
  [WORKFLOW_PROGRAM]: runWorkflow,
  [BRANCH_PROGRAM]: runBranch,
};

async function runWorkflow(durable: OrchestrateDurable, given: JsonValue): Promise<JsonValue> {
  const input = given as unknown as WorkflowInput;
  const { definition } = input;
  const startedAt = await durable.now(stepKey('run@started'));
  const block: Block = {
    durable,
    definition,
    path: '',
    wholePath: '',
    records: new Map(),
    outer: new Map(Object.entries(input.only?.records ?? {})),
    context: input.context,
    run: runFacts({ id: input.runId, root: input.workspace, startedAt }),
    options: input.options,
    ledger: { budget: definition.budget, startedAt, costUsd: 0, tokens: 0, unknownCostCalls: 0 },
  };
  const cleaned =
    input.cleanProcessed === true && input.options.dryRun !== true ? await cleanProcessed(block) : undefined;
  if (cleaned !== undefined) return { failure: cleaned, retryKeys: [] } as unknown as JsonValue;
  const main = await runSteps(
    block,
    input.only === undefined ? definition.steps : [stepNamed(definition, input.only.step)],
  );
  const after =
    input.only === undefined ? await runSteps(block, definition.finally) : ({ type: 'ended' } as const);
  const output = outputOf(block, [main, after]);
  const archived = output.failure === undefined ? await archiveProcessed(block, input) : undefined;
  return (archived === undefined ? output : { ...output, failure: archived }) as unknown as JsonValue;
}

async function cleanProcessed(block: Block): Promise<Failure | undefined> {
  const { processedDir } = block.definition.queue;
  const { output } = await block.durable.step(stepKey('run@clean'), 'empty-folder', { folder: processedDir });
  return output.failure;
}

async function archiveProcessed(block: Block, input: WorkflowInput): Promise<Failure | undefined> {
  if (input.archiveProcessed === undefined || input.options.dryRun === true) return undefined;
  const { output } = await block.durable.step(stepKey('run@archive'), 'archive-folder', {
    folder: block.definition.queue.processedDir,
    ...input.archiveProcessed,
  });
  return output.failure;
}

/** The first cause is kept; a failing `finally` is told only where nothing failed before it. */
function outputOf(block: Block, ends: readonly Awaited<ReturnType<typeof runSteps>>[]): WorkflowOutput {
  const failed = ends.filter((end) => end.type === 'failed');
  const first = failed[0];
  if (first !== undefined) {
    const { failure, failedStep } = first;
    return {
      failure,
      failedStep,
      retryKeys: [...failed.flatMap((end) => end.retryKeys), ...finallyKeys(block)],
    };
  }
  const outputs = renderValues(block, block.definition.outputs ?? {});
  if (outputs.type === 'error') return { failure: outputs.error, retryKeys: [] };
  return Object.keys(outputs.value).length === 0
    ? { retryKeys: [] }
    : { retryKeys: [], outputs: outputs.value };
}

/** `finally` runs again after what is tried again. */
function finallyKeys(block: Block): readonly StepKey[] {
  return block.definition.finally.map((step) => stepKey(step.name));
}

function stepNamed(definition: WorkflowDefinition, name: string): Step {
  const found = [...definition.steps, ...definition.finally].find((step) => step.name === name);
  if (found === undefined) throw new Error(`there is no step \`${name}\``);
  const { when: _when, ...step } = found;
  return { ...step, on: {} } as Step;
}
