/** Types and checks the context that a `call` passes to a workflow with `inputs`. */
import type { Failure } from '../model/failure.ts';
import { type FieldProblem, readFields } from '../model/field.ts';
import { sideKey } from '../model/ids.ts';
import type { JsonObject, JsonValue } from '../model/json.ts';
import { error, ok, type Result } from '../model/result.ts';
import { escapeGlob } from '../store/glob-pattern.ts';
import type { StepCall } from './block.ts';
import type { CallStep, StepCommon } from './definition.ts';

export async function callInputs(
  call: StepCall<StepCommon & CallStep>,
  given: { readonly [key: string]: JsonValue },
): Promise<Result<JsonObject, Failure>> {
  const { block, step, key } = call;
  const { inputs, file } = step.workflow;
  // A dry run has no results to pass.
  if (inputs === undefined || block.options.dryRun === true) return ok(given);
  const names = inputs.map(({ name }) => name);
  const own = Object.fromEntries(Object.entries(given).filter(([name]) => names.includes(name)));
  const { values, problems } = readFields(inputs, own, () => undefined);
  const files = inputs.flatMap(({ name, type }) =>
    type === 'file' && values[name] !== undefined ? [{ name, path: String(values[name]) }] : [],
  );
  const reasons = problems.map((problem) => reasonOf(problem, file));
  if (files.length > 0) {
    const { output } = await block.durable.step(sideKey(key, 'inputs'), 'find-files', {
      patterns: files.map(({ path }) => escapeGlob(path)),
    });
    if (output.failure !== undefined) return error(output.failure);
    for (const [index, { name, path }] of files.entries())
      if ((output.matches[index]?.length ?? 0) === 0)
        reasons.push(
          `the input \`${name}\` of \`${file}\` must be a file in the workspace, but \`${path}\` does not exist`,
        );
  }
  return reasons.length === 0 ? ok({ ...given, ...values }) : error({ type: 'unusable-values', reasons });
}

function reasonOf(problem: FieldProblem, file: string): string {
  if (problem.type === 'unknown') return `unknown input \`${problem.name}\` of \`${file}\``;
  const rest = problem.type === 'missing' ? 'is missing' : problem.reason;
  return `the input \`${problem.field.name}\` of \`${file}\` ${rest}`;
}
