/** What a workflow says about itself: its description, and the inputs that a run needs. A form of any door is made from this. */
import { defined } from '../../model/defined.ts';
import { type Field, type Misfit, readField } from '../../model/field.ts';
import type { JsonObject, JsonValue } from '../../model/json.ts';
import { error, ok, type Result } from '../../model/result.ts';
import { isModuleFile } from '../../store/module-file.ts';
import { fileInside } from '../../workflow/load/check-inputs.ts';
import { loadWorkflow } from '../../workflow/load/load-workflow.ts';
import type { WorkflowInputs } from '../definitions/inputs.ts';
import type { InvalidFile, Problem } from '../problem.ts';
import type { Site } from '../site.ts';

export function workflowInputs(site: Site, file: string): Result<WorkflowInputs, Problem> {
  if (isModuleFile(file)) return error({ type: 'inputs-in-code', file });
  const loaded = loadWorkflow(site.workspace, file, {});
  if (loaded.type === 'error') return error({ type: 'invalid-file', diagnostics: loaded.error });
  const { name, description, inputs = [], context, file: path } = loaded.value.definition;
  const names = inputs.map((input) => input.name);
  return ok({
    name,
    file: path,
    ...defined({ description }),
    inputs,
    context: Object.fromEntries(Object.entries(context).filter(([key]) => !names.includes(key))),
  });
}

/** Reads one value as the run would. */
export function readInput(
  { workspace }: Pick<Site, 'workspace'>,
  field: Field,
  given: JsonValue,
): Result<JsonValue, Misfit> {
  return readField(field, given, fileInside(workspace));
}

/** The inputs that are missing, if nothing else is wrong. A door that can ask for them does, and prepares the run again. */
export function missingInputs(
  site: Site,
  file: string,
  { problem, given }: { readonly problem: InvalidFile; readonly given: JsonObject },
): readonly Field[] {
  const errors = problem.diagnostics.filter(({ severity }) => severity === 'error');
  if (errors.some(({ code }) => code !== 'inputs/missing')) return [];
  const known = workflowInputs(site, file);
  if (known.type === 'error') return [];
  return known.value.inputs.filter(({ name, required }) => required && !Object.hasOwn(given, name));
}
