/** What is given to a workflow from outside: by a command line, or by a workflow file. */
import { isJsonObject, type JsonValue, parseJson } from '../../model/json.ts';
import { error, ok, type Result } from '../../model/result.ts';
import type { Workflow } from '../written/workflow.ts';
import { describeNotJson, plainJson } from './plain-json.ts';
import { findings, type SchemaFinding } from './schemas.ts';

/** The input as it is recorded. Text is read as a value where the schema wants one: on a command line every value is text. */
export async function givenInput(
  { input: schema }: Pick<Workflow, 'input'>,
  given: JsonValue,
): Promise<Result<JsonValue, readonly SchemaFinding[]>> {
  const plain = plainJson(given);
  if (plain.type === 'error') return error([{ path: [], text: describeNotJson(plain.error) }]);
  if (schema === undefined) return plain;
  const fits = await findings(schema, plain.value);
  if (fits.type === 'ok') return ok(plain.value);
  const read = withValues(plain.value);
  return (await findings(schema, read)).type === 'ok' ? ok(read) : fits;
}

/** `{count: "3"}` → `{count: 3}`. */
function withValues(given: JsonValue): JsonValue {
  if (!isJsonObject(given)) return given;
  return Object.fromEntries(
    Object.entries(given).map(([name, value]) => [name, typeof value === 'string' ? valueIn(value) : value]),
  );
}

function valueIn(text: string): JsonValue {
  try {
    return parseJson(text) as JsonValue;
  } catch {
    return text;
  }
}
