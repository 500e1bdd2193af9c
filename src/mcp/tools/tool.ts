/** An MCP tool: its description, the schema of its arguments, and the operation behind it. */
import { checkSchema } from '../../model/check-schema.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../model/json.ts';
import { error, type Result } from '../../model/result.ts';
import { nearest } from '../../model/suggest.ts';
import type { Problem } from '../../operations/problem.ts';
import type { Prepared } from '../../operations/run-plan.ts';
import type { Site } from '../../operations/site.ts';

export interface Tool {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of an object. */
  readonly input: JsonObject;
  readonly readOnly?: boolean;
  /** Offered only if the user allows it. The text says why. */
  readonly offBecause?: string;
  run(site: ToolSite, given: JsonObject): ToolAnswer | Promise<ToolAnswer>;
}

/** A tool can also start runs, in processes that outlive the server. */
export interface ToolSite extends Site {
  start(prepared: Prepared): Promise<Result<{ readonly pid: number }, Problem>>;
  /** Aborted when the client gives up on the call or the server ends. */
  readonly signal: AbortSignal;
}

export type ToolAnswer = Result<JsonValue, Problem>;

export async function callTool(tool: Tool, site: ToolSite, given: JsonObject): Promise<ToolAnswer> {
  const wrong = argumentProblem(tool, given);
  return wrong === undefined ? tool.run(site, given) : error(wrong);
}

/** Names every wrong argument and what is expected. */
function argumentProblem({ name, input }: Tool, given: JsonObject): Problem | undefined {
  const properties = isJsonObject(input['properties']) ? input['properties'] : {};
  const names = Object.keys(properties);
  const required = Array.isArray(input['required']) ? (input['required'] as readonly string[]) : [];
  const unknown = Object.keys(given).filter((key) => !names.includes(key));
  const missing = required.filter((key) => given[key] === undefined);
  const known = Object.fromEntries(Object.entries(given).filter(([key]) => names.includes(key)));
  const others = checkSchema({ ...input, required: [] }, known as JsonObject);
  const problems = [
    ...missing.map((key) => `missing argument \`${key}\``),
    ...unknown.map((key) => `unknown argument \`${key}\`${suggestion(key, names)}`),
    ...others,
  ];
  if (problems.length === 0) return undefined;
  const concerned = [
    ...missing,
    ...names.filter((key) => others.some((each) => each.startsWith(`\`${key}`))),
  ];
  const help = concerned.map((key) => `\`${key}\`: ${describe(properties[key])}`);
  const all = names.length === 0 ? `\`${name}\` takes no arguments` : `arguments: ${names.join(', ')}`;
  return { type: 'invalid-arguments', faults: problems, expected: [...help, all] };
}

function suggestion(key: string, names: readonly string[]): string {
  const near = nearest(key, names) ?? names.find((each) => each.startsWith(key) || key.startsWith(each));
  return near === undefined ? '' : `; did you mean \`${near}\`?`;
}

function describe(schema: JsonValue | undefined): string {
  const { description, enum: choices, type } = isJsonObject(schema) ? schema : {};
  if (Array.isArray(choices)) return `one of ${choices.join(', ')}`;
  return typeof description === 'string' ? description : String(type ?? 'any value');
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

export function count(
  description: string,
  range: { readonly from: number; readonly to: number },
): JsonObject {
  return { type: 'integer', minimum: range.from, maximum: range.to, description };
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

export function countIn(given: JsonObject, key: string): number | undefined {
  const value = given[key];
  return typeof value === 'number' ? value : undefined;
}

/** Drops undefined fields. */
export function asJson(value: object): JsonValue {
  return JSON.parse(JSON.stringify(value)) as JsonValue;
}
