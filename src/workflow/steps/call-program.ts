import { defined } from '../../model/defined.ts';
import { jsonText } from '../../model/json.ts';
import { failedAtOnce, skipped } from '../../steps/notes.ts';
import type { StepCall, StepEnd } from '../block.ts';
import type { ProgramStep, StepCommon } from '../definition.ts';
import { renderValues } from '../render.ts';

/** Runs a workflow in code as a step. What its function returns is the `json` of the step. */
export async function runProgram(call: StepCall<StepCommon & ProgramStep>): Promise<StepEnd> {
  const { block, step } = call;
  const { program: file } = step;
  const given = renderValues(block, step.input);
  if (given.type === 'error') return failedAtOnce(call, given.error);
  const input = given.value;
  const { dryRun, agent } = block.options;
  if (dryRun === true)
    return skipped(call, `dry run: would call \`${file}\` with the input ${jsonText(input)}`);
  if (block.callProgram === undefined) throw new Error(`\`${file}\` was not loaded`);
  const provider = agent === undefined ? undefined : block.definition.providers[agent];
  return block.callProgram(call, { file, input, options: block.options, ...defined({ provider }) });
}
