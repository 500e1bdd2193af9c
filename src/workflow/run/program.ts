/** The program `workflow`: runs a workflow file from its first step to its `finally`. */
import type { EffectMap, OrchestrateDurable } from '../../effects/contracts.ts';
import type { Programs } from '../../engine/durable.ts';
import { openLedger } from '../../engine/ledger.ts';
import { defined } from '../../model/defined.ts';
import type { Failure } from '../../model/failure.ts';
import { type RunId, type StepKey, stepKey } from '../../model/ids.ts';
import type { JsonObject, JsonValue } from '../../model/json.ts';
import type { StepRecord } from '../../model/record.ts';
import { ok, type Result } from '../../model/result.ts';
import type { ContainerEnd } from '../../steps/container.ts';
import type { StepSite } from '../../steps/site.ts';
import type { Block, BlockEnd, CallProgram, RunOptions } from '../block.ts';
import type { Step, WorkflowDefinition } from '../definition.ts';
import { type KeptItems, keptByKey } from '../kept-items.ts';
import type { SourceDigest } from '../load/load-workflow.ts';
import { outputsOf } from '../outputs.ts';
import { runSteps, runWithFinally } from '../steps/run-steps.ts';
import { runFacts } from '../variables.ts';

export const WORKFLOW_PROGRAM = 'workflow';

export type CassetteChoice =
  | { readonly type: 'record'; readonly folder: string }
  | { readonly type: 'replay'; readonly folder: string; readonly loose: boolean };

export interface WorkflowInput {
  readonly runId: RunId;
  readonly workspace: string;
  readonly definition: WorkflowDefinition;
  readonly context: JsonObject;
  readonly options: RunOptions;
  /** `run.timestamp_utc`; for a fork, that of the original run. Default: the time in the run's id. */
  readonly timestampUtc?: string;
  /** Where agent calls are recorded or replayed from, also when the run is resumed. */
  readonly cassette?: CassetteChoice;
  /** Whether to empty the folder of processed tasks first. */
  readonly cleanProcessed?: boolean;
  /** Whether to archive it after success: to this file, or to the run's own folder. */
  readonly archiveProcessed?: { readonly to?: string };
  /** Items that were completed before the workflow was changed. */
  readonly kept?: readonly KeptItems[];
  /** The workflows in code that it calls, with the digests of their files and of those they import. */
  readonly programs?: readonly CalledProgram[];
  /** ISO 8601: a change of them was accepted then, so what was recorded before is not compared. */
  readonly acceptedAt?: string;
  /** The run continues with the copies of their files, as they were when it started. */
  readonly asStarted?: true;
  /** For `run-step`: the step to run, and the results of an earlier run that it can see. */
  readonly only?: { readonly step: string; readonly records: { readonly [name: string]: StepRecord } };
}

export interface CalledProgram {
  /** Workspace-relative. */
  readonly file: string;
  readonly sources: readonly SourceDigest[];
  /** Environment variables that hold secrets, as far as it declares them. */
  readonly secrets: readonly string[];
  /** The agent CLIs that it may start. */
  readonly agents: readonly string[];
}

export interface WorkflowOutput {
  readonly failure?: Failure;
  readonly failedStep?: StepKey;
  /** The keys that a resumed run retries. */
  readonly retryKeys: readonly StepKey[];
  readonly outputs?: { readonly [name: string]: JsonValue };
}

/** Loads the workflows in code that this one calls. */
export type OpenPrograms = (
  input: WorkflowInput,
  signal: AbortSignal,
) => Promise<Result<CallProgram, Failure>>;

export function workflowPrograms(open: OpenPrograms): Programs<EffectMap> {
  return {
    [WORKFLOW_PROGRAM]: async (durable, given, signal = new AbortController().signal) => {
      const input = given as unknown as WorkflowInput;
      const opened = input.programs === undefined ? undefined : await open(input, signal);
      const output: WorkflowOutput =
        opened?.type === 'error'
          ? { failure: opened.error, retryKeys: [] }
          : await runWorkflow(durable, input, opened?.value);
      return output as unknown as JsonValue;
    },
  };
}

export async function runWorkflow(
  durable: OrchestrateDurable,
  input: WorkflowInput,
  callProgram?: CallProgram,
): Promise<WorkflowOutput> {
  const { definition } = input;
  const block: Block = {
    durable,
    definition,
    path: '',
    wholePath: '',
    records: new Map(),
    outer: new Map(Object.entries(input.only?.records ?? {})),
    context: input.context,
    run: runFacts(input),
    options: input.options,
    replays: input.cassette?.type === 'replay',
    ...(input.kept === undefined ? {} : { kept: keptByKey(input.kept) }),
    ledger: { ...openLedger(), budget: definition.budget },
    ...defined({ callProgram }),
  };
  const cleaned =
    input.cleanProcessed === true && input.options.dryRun !== true ? await cleanProcessed(block) : undefined;
  if (cleaned !== undefined) return { failure: cleaned, retryKeys: [] };
  const end =
    input.only === undefined
      ? await runWithFinally(block, definition.steps)
      : await runSteps(block, [stepNamed(definition, input.only.step)]);
  const output = outputOf(block, end, input.only === undefined);
  const archived = output.failure === undefined ? await archiveProcessed(block, input) : undefined;
  return archived === undefined ? output : { ...output, failure: archived };
}

/** A workflow file that a workflow in code calls. */
export interface CalledBlock {
  readonly site: StepSite;
  readonly definition: WorkflowDefinition;
  readonly context: JsonObject;
  readonly run: { readonly runId: RunId; readonly workspace: string };
  readonly options: RunOptions;
  readonly replays: boolean;
  readonly callProgram?: CallProgram;
}

/** Its declared outputs are returned as `json`. */
export async function runCalled(called: CalledBlock): Promise<ContainerEnd> {
  const { definition, context, options, replays, callProgram } = called;
  const { durable, path, wholePath, ledger, isTidyingUp = false } = called.site;
  const block: Block = {
    ...{ durable, definition, path, wholePath, context, options, ledger, replays, isTidyingUp },
    records: new Map(),
    outer: new Map(),
    run: runFacts(called.run),
    ...defined({ callProgram }),
  };
  const end = await runWithFinally(block, definition.steps);
  if (end.type === 'failed') return { failure: end.failure, retryKeys: end.retryKeys };
  const outputs = outputsOf(block, end);
  if (outputs.type === 'error') return { failure: outputs.error, retryKeys: [] };
  return { retryKeys: [], fields: { json: outputs.value } };
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

function outputOf(block: Block, end: BlockEnd, isWhole: boolean): WorkflowOutput {
  if (end.type === 'failed') {
    const { failure, failedStep, retryKeys } = end;
    return { failure, failedStep, retryKeys };
  }
  const outputs = isWhole ? outputsOf(block, end) : ok({});
  if (outputs.type === 'error') return { failure: outputs.error, retryKeys: [] };
  return Object.keys(outputs.value).length === 0
    ? { retryKeys: [] }
    : { retryKeys: [], outputs: outputs.value };
}

function stepNamed(definition: WorkflowDefinition, name: string): Step {
  const found = [...definition.steps, ...definition.finally].find((step) => step.name === name);
  if (found === undefined) throw new Error(`unknown step \`${name}\``);
  const { when: _when, ...step } = found;
  return { ...step, on: {} } as Step;
}
