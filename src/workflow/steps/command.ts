import type { ProcessInput, RunCommandInput } from '../../effects/contracts.ts';
import type { Stepped } from '../../engine/durable.ts';
import { recordOf } from '../../engine/record-of.ts';
import { defined } from '../../model/defined.ts';
import type { Failure } from '../../model/failure.ts';
import type { JsonValue } from '../../model/json.ts';
import type { StepRecord, WorkOutput } from '../../model/record.ts';
import { ok, type Result } from '../../model/result.ts';
import { chooseSandbox } from '../../model/sandbox.ts';
import { withinBudget } from '../../steps/budget.ts';
import { amend, failedAtOnce, skipped } from '../../steps/notes.ts';
import { provenFields, unproven } from '../../steps/proof.ts';
import { endOf } from '../../steps/site.ts';
import { quoteWords } from '../../template/quote.ts';
import type { Block, StepCall, StepEnd } from '../block.ts';
import { keepInCache, lookInCache } from '../cached.ts';
import type { Step } from '../definition.ts';
import { checkDependencies } from '../dependencies.ts';
import { checkProof } from '../proof.ts';
import { renderCommand, renderText } from '../render.ts';
import { retryPolicyOf } from '../retry-policy.ts';
import { withStatusOutputs } from '../status-outputs.ts';
import { stampValues, withValues } from '../values.ts';

type CommandCall = StepCall<Extract<Step, { type: 'command' }>>;

export async function runCommandStep(call: CommandCall): Promise<StepEnd> {
  const { block, step } = call;
  const input = commandInput(block, step);
  if (input.type === 'error') return failedAtOnce(call, input.error);
  if (isPlain(call)) return endOf(call, recordOf(await started(call, input.value)));
  const depends = await checkDependencies(call);
  if (depends.type === 'error') return failedAtOnce(call, depends.error);
  if (block.options.dryRun === true)
    return skipped(call, `dry run: would run ${quoteWords(input.value.argv)}${shownFolder(input.value)}`);
  const cached = await lookInCache(call, { basis: input.value as unknown as JsonValue });
  if (cached.type === 'error') return failedAtOnce(call, cached.error);
  if (cached.value.type === 'hit') return { record: cached.value.record, retryKeys: [] };
  const before = await stampValues(call);
  const stepped = await started(call, input.value);
  const done = await withValues(call, await proven(call, recordOf(stepped)), before);
  const record = await withStatusOutputs(call, done);
  await keepInCache(call, cached.value, record);
  return endOf(call, record);
}

/** It has no other effects before or after its own. A loop has thousands of such steps, and asking costs more than replaying one. */
function isPlain({ block, step }: CommandCall): boolean {
  const { dependsOn, cache, values, expect, agent } = step;
  const isBare = dependsOn === undefined && cache === undefined && values === undefined;
  return isBare && expect === undefined && agent === undefined && block.options.dryRun !== true;
}

function started({ block, step, key }: CommandCall, input: RunCommandInput): Promise<Stepped<WorkOutput>> {
  return block.durable.step(key, 'run-command', input, {
    retry: retryPolicyOf(step, block.options),
    ...defined({ worker: step.worker }),
    ...(step.expect === undefined ? {} : { isChecked: true }),
    ...(readsState(block, input) ? { readsState: true } : {}),
    ...withinBudget(block),
  });
}

/** `jq .steps ${run.root}/state.json` sees all steps before it. */
function readsState({ run }: Block, { argv }: RunCommandInput): boolean {
  return argv.some((argument) => argument.includes(run.root));
}

function shownFolder({ cwd }: ProcessInput): string {
  return cwd === undefined ? '' : ` in \`${cwd}\``;
}

function commandInput(block: Block, step: CommandCall['step']): Result<RunCommandInput, Failure> {
  const argv = renderCommand(block, step.command);
  if (argv.type === 'error') return argv;
  const common = processInput(block, step);
  if (common.type === 'error') return common;
  const stdinFile = step.inputFile === undefined ? ok(undefined) : renderText(block, step.inputFile);
  if (stdinFile.type === 'error') return stdinFile;
  return ok({
    argv: argv.value,
    ...common.value,
    ...defined({ stdinFile: stdinFile.value, sandbox: chooseSandbox(step.sandbox) }),
  });
}

/** Environment variables of every process, including agents. */
export function processInput(block: Block, step: Step): Result<ProcessInput, Failure> {
  const isWritten = step.outputFile !== undefined && block.options.dryRun !== true;
  const outputFile = isWritten ? renderText(block, step.outputFile) : ok(undefined);
  if (outputFile.type === 'error') return outputFile;
  const cwd = step.workingDir === undefined ? ok(undefined) : renderText(block, step.workingDir);
  if (cwd.type === 'error') return cwd;
  return ok({
    capture: step.capture,
    ...(step.allowParseError ? { allowParseError: true } : {}),
    ...defined({ env: step.env }),
    // A dry run starts nothing that would need them; values that are set are masked in the whole run.
    ...(step.secrets === undefined || block.options.dryRun === true ? {} : { secrets: step.secrets }),
    ...defined({
      timeoutMs: step.timeoutMs,
      idleTimeoutMs: step.idleTimeoutMs,
      outputFile: outputFile.value,
      cwd: cwd.value,
    }),
  });
}

/** A success without the required proof is a failure. */
async function proven(call: CommandCall, record: StepRecord): Promise<StepRecord> {
  if (call.step.expect === undefined || record.status !== 'completed') return record;
  const proof = await checkProof(call, record, 1);
  if (proof.type === 'error') return amend(call, record, unproven(proof.error));
  if (proof.value.reasons.length > 0) {
    return amend(call, record, unproven({ type: 'unproven', reasons: proof.value.reasons }));
  }
  const fields = provenFields(record, proof.value);
  return Object.keys(fields).length === 0 ? record : amend(call, record, fields);
}
