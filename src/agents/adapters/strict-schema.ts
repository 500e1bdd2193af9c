import { isJsonObject, type JsonValue } from '../../model/json.ts';

/** Whether every object of a schema is closed and has only required members, as OpenAI's strict mode demands. */
export function isStrictSchema(schema: JsonValue): boolean {
  if (Array.isArray(schema)) return schema.every(isStrictSchema);
  if (!isJsonObject(schema)) return true;
  if (schema['type'] === 'object' || isJsonObject(schema['properties'])) {
    const names = Object.keys(isJsonObject(schema['properties']) ? schema['properties'] : {});
    const required: readonly JsonValue[] = Array.isArray(schema['required']) ? schema['required'] : [];
    if (schema['additionalProperties'] !== false || !names.every((name) => required.includes(name)))
      return false;
  }
  return Object.values(schema).every((value) => value === undefined || isStrictSchema(value));
}
