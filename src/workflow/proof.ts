import type { CheckProofInput } from '../effects/contracts.ts';
import { defined } from '../model/defined.ts';
import type { Failure } from '../model/failure.ts';
import type { StepRecord } from '../model/record.ts';
import { ok, type Result } from '../model/result.ts';
import { chooseSandbox, type SandboxChoice } from '../model/sandbox.ts';
import { type Proof, prove, subjectIn } from '../steps/proof.ts';
import { providerNamed } from './agent-choice.ts';
import type { Block, StepCall } from './block.ts';
import type { Expectation, Step } from './definition.ts';
import { renderCommand, renderGlobs, renderText } from './render.ts';

/** Checks the files, output and command that `expect` requires. `round` distinguishes the checks of one step. */
export async function checkProof(
  call: StepCall,
  record: StepRecord,
  round: number,
): Promise<Result<Proof, Failure>> {
  const { block, step } = call;
  if (step.expect === undefined) return ok({ reasons: [], files: [] });
  const input = proofInput(block, step.expect, { record, outputFile: step.outputFile });
  if (input.type === 'error') return input;
  const cwd = step.workingDir === undefined ? ok(undefined) : renderText(block, step.workingDir);
  if (cwd.type === 'error') return cwd;
  return prove(
    call,
    { ...input.value, ...defined({ cwd: cwd.value, sandbox: sandboxOf(block, step) }) },
    { round, worker: step.worker ?? workerOfProvider(block, step) },
  );
}

/** The checks run where the step ran. */
function workerOfProvider(block: Block, step: StepCall['step']): string | undefined {
  return step.type === 'provider' ? providerNamed(block, step.provider).worker : undefined;
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

/** An empty `expect` proves nothing. */
export function asksForProof(block: Block, { expect }: Step): boolean {
  if (expect === undefined || block.options.dryRun === true) return false;
  return expect.files.length > 0 || expect.jsonSchema !== undefined || expect.command !== undefined;
}
