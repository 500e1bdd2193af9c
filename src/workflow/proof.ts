import type { CheckProofInput, RunAgentOutput } from '../effects/contracts.ts';
import { defined } from '../model/defined.ts';
import type { Failure } from '../model/failure.ts';
import { sideKey } from '../model/ids.ts';
import type { JsonValue } from '../model/json.ts';
import type { StepRecord } from '../model/record.ts';
import { error, ok, type Result } from '../model/result.ts';
import { chooseSandbox, type SandboxChoice } from '../model/sandbox.ts';
import { UNVERIFIED } from '../model/text-only-agent.ts';
import { providerNamed } from './agent-choice.ts';
import type { Block, StepCall } from './block.ts';
import { withinBudget } from './budget.ts';
import type { Expectation } from './definition.ts';
import { renderCommand, renderGlobs, renderText } from './render.ts';

export interface Proof {
  /** Empty if every check passed. */
  readonly reasons: readonly string[];
  readonly files: readonly string[];
  /** The value that was checked against the schema. */
  readonly json?: JsonValue;
}

/** The fields that successful checks add to a step's record. */
export function provenFields(record: StepRecord, proof: Proof): Partial<StepRecord> {
  const artifacts = [...new Set([...(record.artifacts ?? []), ...proof.files])];
  return {
    ...(artifacts.length === (record.artifacts ?? []).length ? {} : { artifacts }),
    ...(record.outcome === UNVERIFIED ? { outcome: 'done' } : {}),
    ...(proof.json === undefined || record.json !== undefined ? {} : { json: proof.json }),
  };
}

/** Checks the files, output and command that `expect` requires. `round` distinguishes the checks of one step. */
export async function checkProof(
  call: StepCall,
  record: StepRecord,
  round: number,
): Promise<Result<Proof, Failure>> {
  const { block, step, key } = call;
  if (step.expect === undefined) return ok({ reasons: [], files: [] });
  const input = proofInput(block, step.expect, { record, outputFile: step.outputFile });
  if (input.type === 'error') return input;
  const cwd = step.workingDir === undefined ? ok(undefined) : renderText(block, step.workingDir);
  if (cwd.type === 'error') return cwd;
  const { output } = await block.durable.step(
    sideKey(key, `expect${round}`),
    'check-proof',
    { ...input.value, ...defined({ cwd: cwd.value, sandbox: sandboxOf(block, step) }) },
    withinBudget(block),
  );
  return output.failure === undefined ? ok(output) : error(output.failure);
}

/** The checks run what the step wrote. */
function sandboxOf(block: Block, step: StepCall['step']): SandboxChoice | undefined {
  const provider = step.type === 'provider' ? providerNamed(block, step.provider).sandbox : undefined;
  return chooseSandbox(provider, step.sandbox);
}

function proofInput(
  block: Block,
  expect: Expectation,
  subject: { readonly record: StepRecord; readonly outputFile: string | undefined },
): Result<CheckProofInput, Failure> {
  const files = renderGlobs(block, expect.files);
  if (files.type === 'error') return files;
  const command = expect.command === undefined ? ok(undefined) : renderCommand(block, expect.command);
  if (command.type === 'error') return command;
  const outputFile = subject.outputFile === undefined ? ok(undefined) : renderText(block, subject.outputFile);
  if (outputFile.type === 'error') return outputFile;
  const schema = expect.jsonSchema;
  const schemaFile = schema?.type === 'file' ? renderText(block, schema.path) : ok(undefined);
  if (schemaFile.type === 'error') return schemaFile;
  return ok({
    files: files.value,
    commands: command.value === undefined ? [] : [command.value],
    ...(schema?.type === 'inline' ? { jsonSchema: schema.schema } : {}),
    ...defined({ schemaFile: schemaFile.value }),
    ...(schema === undefined
      ? {}
      : {
          subject:
            outputFile.value === undefined
              ? subjectIn(subject.record)
              : { type: 'file', path: outputFile.value },
        }),
  });
}

/** The structured answer of an agent, its complete answer, or the captured output. */
function subjectIn(
  record: StepRecord & Pick<RunAgentOutput, 'answer' | 'structured'>,
): NonNullable<CheckProofInput['subject']> {
  const value = record.json ?? record.structured;
  if (value !== undefined) return { type: 'value', text: JSON.stringify(value) };
  if (record.answer !== undefined) return { type: 'value', text: record.answer };
  return { type: 'value', text: record.output ?? '', ...(record.truncated === true ? { isCut: true } : {}) };
}
