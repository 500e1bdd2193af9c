import type { CheckProofInput } from '../effects/contracts.ts';
import type { Failure } from '../model/failure.ts';
import { sideKey } from '../model/ids.ts';
import type { StepRecord } from '../model/record.ts';
import { error, ok, type Result } from '../model/result.ts';
import type { Block, StepCall } from './block.ts';
import type { Expectation } from './definition.ts';
import { renderCommand, renderText, renderTexts } from './render.ts';

export interface Proof {
  /** Empty: proven. */
  readonly reasons: readonly string[];
  readonly files: readonly string[];
}

/** Checks what the step had to leave behind. `round` tells the checks of one step apart. */
export async function checkProof(
  call: StepCall,
  record: StepRecord,
  round: number,
): Promise<Result<Proof, Failure>> {
  const { block, step, key } = call;
  if (step.expect === undefined) return ok({ reasons: [], files: [] });
  const input = proofInput(block, step.expect, { record, outputFile: step.outputFile });
  if (input.type === 'error') return input;
  const { output } = await block.durable.step(sideKey(key, `expect${round}`), 'check-proof', input.value);
  return output.failure === undefined ? ok(output) : error(output.failure);
}

function proofInput(
  block: Block,
  expect: Expectation,
  subject: { readonly record: StepRecord; readonly outputFile: string | undefined },
): Result<CheckProofInput, Failure> {
  const files = renderTexts(block, expect.files);
  if (files.type === 'error') return files;
  const command = expect.command === undefined ? ok(undefined) : renderCommand(block, expect.command);
  if (command.type === 'error') return command;
  const outputFile = subject.outputFile === undefined ? ok(undefined) : renderText(block, subject.outputFile);
  if (outputFile.type === 'error') return outputFile;
  const schema = expect.jsonSchema;
  const schemaFile = schema?.type === 'file' ? renderText(block, schema.path) : ok(undefined);
  if (schemaFile.type === 'error') return schemaFile;
  const { record } = subject;
  return ok({
    files: files.value,
    commands: command.value === undefined ? [] : [command.value],
    ...(schema?.type === 'inline' ? { jsonSchema: schema.schema } : {}),
    ...(schemaFile.value === undefined ? {} : { schemaFile: schemaFile.value }),
    ...(schema === undefined
      ? {}
      : {
          subject:
            outputFile.value === undefined
              ? {
                  type: 'value',
                  text: record.json === undefined ? (record.output ?? '') : JSON.stringify(record.json),
                }
              : { type: 'file', path: outputFile.value },
        }),
  });
}
