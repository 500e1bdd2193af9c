/** The inputs of a workflow in code, as fields of a form: those of its `input` schema. Loading it runs its top level. */

import { jsonSchemaOf } from '../../code/run/schemas.ts';
import type { Workflow } from '../../code/written/workflow.ts';
import { defined } from '../../model/defined.ts';
import type { Field, FieldType } from '../../model/field.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../model/json.ts';
import { ok, type Result } from '../../model/result.ts';
import type { WorkflowInputs } from '../definitions/inputs.ts';
import type { Problem } from '../problem.ts';
import type { Site } from '../site.ts';
import { loadCode } from './load-code.ts';

export async function codeInputs(site: Site, file: string): Promise<Result<WorkflowInputs, Problem>> {
  const loaded = await loadCode(site, file);
  if (loaded.type === 'error') return loaded;
  const { workflow, file: path } = loaded.value;
  const fields = fieldsOf(workflow);
  return ok({
    ...{ name: workflow.name, file: path, inputs: fields ?? [], context: {}, is_code: true },
    ...defined({ description: workflow.description }),
    ...(fields === undefined ? { takes_anything: true } : {}),
  });
}

/** Undefined if nothing describes them. */
function fieldsOf({ input }: Workflow): readonly Field[] | undefined {
  if (input === undefined) return undefined;
  let schema: JsonObject;
  try {
    schema = jsonSchemaOf(input, 'input');
  } catch {
    // A library without JSON Schema still checks what is given.
    return undefined;
  }
  const { properties, required } = schema;
  if (!isJsonObject(properties)) return undefined;
  const needed = Array.isArray(required) ? required : [];
  return Object.entries(properties).map(([name, described]) =>
    fieldOf(name, isJsonObject(described) ? described : {}, needed.includes(name)),
  );
}

function fieldOf(name: string, described: JsonObject, isNeeded: boolean): Field {
  const { description, default: byDefault, enum: choices } = described;
  const words = Array.isArray(choices) ? choices.filter((choice) => typeof choice === 'string') : [];
  const type = words.length > 0 ? 'choice' : typeOf(described);
  return {
    ...{ name, type: type ?? 'string', required: isNeeded && byDefault === undefined },
    ...(byDefault === undefined ? {} : { default: shown(byDefault) }),
    ...(words.length > 0 ? { choices: words } : {}),
    ...textOf(description, type === undefined),
  };
}

function typeOf({ type }: JsonObject): FieldType | undefined {
  switch (type) {
    case 'string':
    case 'number':
    case 'boolean':
      return type;
    case 'integer':
      return 'number';
    default:
      // Partial: objects, lists and unions are written as JSON.
      return undefined;
  }
}

function shown(value: JsonValue): JsonValue {
  return typeof value === 'object' ? JSON.stringify(value) : value;
}

function textOf(description: JsonValue | undefined, isJson: boolean): { readonly description?: string } {
  const parts = [...(typeof description === 'string' ? [description] : []), ...(isJson ? ['as JSON'] : [])];
  return parts.length === 0 ? {} : { description: parts.join(', ') };
}
