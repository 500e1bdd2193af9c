/** An MCP tool: its description, the schema of its arguments, and the operation behind it. */
import { checkSchema } from '../model/check-schema.ts';
import type { JsonObject, JsonValue } from '../model/json.ts';
import { error, type Result } from '../model/result.ts';
import { type Problem, refused } from '../operations/problem.ts';
import type { Site } from '../operations/site.ts';

export interface Tool {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of an object. */
  readonly input: JsonObject;
  readonly readOnly?: boolean;
  run(site: Site, given: JsonObject): ToolAnswer | Promise<ToolAnswer>;
}

export type ToolAnswer = Result<JsonValue, Problem>;

export async function callTool(tool: Tool, site: Site, given: JsonObject): Promise<ToolAnswer> {
  const wrong = checkSchema(tool.input, given);
  if (wrong.length > 0) return error(refused('invalid', `invalid arguments: ${wrong.join('; ')}`));
  return tool.run(site, given);
}

/** The schema of an object with exactly these properties. */
export function objectOf(
  properties: { readonly [name: string]: JsonObject },
  required: readonly string[] = [],
): JsonObject {
  return { type: 'object', properties, required, additionalProperties: false };
}

export function text(description: string): JsonObject {
  return { type: 'string', minLength: 1, description };
}

export function texts(description: string): JsonObject {
  return { type: 'array', items: { type: 'string' }, description };
}

/** Reads an argument that the schema has checked. */
export function textIn(given: JsonObject, key: string): string | undefined {
  const value = given[key];
  return typeof value === 'string' ? value : undefined;
}

export function textsIn(given: JsonObject, key: string): readonly string[] | undefined {
  const value = given[key];
  return Array.isArray(value) ? (value as readonly string[]) : undefined;
}
