/** Finds unusable parts of a JSON Schema before an agent gets it. */
import { isJsonObject, type JsonObject, type JsonValue } from '../../model/json.ts';
import { lookUp } from '../../template/scope.ts';

const TYPES = ['object', 'array', 'string', 'number', 'integer', 'boolean', 'null'];
const ONE = [
  ...['additionalProperties', 'contains', 'else', 'if', 'items', 'not', 'propertyNames', 'then'],
  ...['unevaluatedItems', 'unevaluatedProperties'],
];
const LISTS = ['allOf', 'anyOf', 'oneOf', 'prefixItems'];
const MAPS = ['$defs', 'definitions', 'dependentSchemas', 'patternProperties', 'properties'];

/** Sentences; empty if the schema is usable. */
export function inputSchemaProblems(schema: JsonObject): readonly string[] {
  const { type } = schema;
  const allowed = Array.isArray(type) ? type : [type ?? 'object'];
  const problems = allowed.includes('object') ? [] : ['the `type` of a tool input must be `object`'];
  return [...problems, ...problemsIn(schema, { root: schema, at: '' })];
}

interface Place {
  readonly root: JsonObject;
  readonly at: string;
}

function problemsIn(schema: JsonValue, place: Place): readonly string[] {
  if (typeof schema === 'boolean') return [];
  const where = place.at === '' ? '' : ` at \`${place.at}\``;
  if (!isJsonObject(schema)) return [`a schema must be a mapping, not \`${JSON.stringify(schema)}\`${where}`];
  return [
    ...ownProblems(schema, place.root).map((problem) => `${problem}${where}`),
    ...innerProblems(schema, place),
  ];
}

function ownProblems(schema: JsonObject, root: JsonObject): readonly string[] {
  const problems: string[] = [];
  const { type, pattern, $ref, required } = schema;
  for (const one of type === undefined ? [] : Array.isArray(type) ? type : [type]) {
    if (!TYPES.includes(String(one))) problems.push(`unknown type \`${String(one)}\``);
  }
  if (pattern !== undefined && !isExpression(pattern))
    problems.push(`\`${String(pattern)}\` is not a valid regular expression`);
  if (typeof $ref === 'string' && !leadsSomewhere($ref, root)) problems.push(`\`${$ref}\` does not resolve`);
  if (
    required !== undefined &&
    !(Array.isArray(required) && required.every((one) => typeof one === 'string'))
  )
    problems.push('`required` must be a list of names');
  return problems;
}

function innerProblems(schema: JsonObject, { root, at }: Place): readonly string[] {
  const below = (value: JsonValue, ...names: readonly string[]) =>
    problemsIn(value, { root, at: [...(at === '' ? [] : [at]), ...names].join('.') });
  const problems: string[] = [];
  for (const [key, value] of Object.entries(schema)) {
    if (value === undefined) continue;
    if (LISTS.includes(key) || (key === 'items' && Array.isArray(value))) {
      const list: readonly JsonValue[] = Array.isArray(value) ? value : [value];
      problems.push(...list.flatMap((one, index) => below(one, key, String(index))));
    } else if (ONE.includes(key)) problems.push(...below(value, key));
    else if (MAPS.includes(key)) {
      if (!isJsonObject(value)) problems.push(`\`${key}\` must be a mapping of schemas`);
      else for (const [name, one] of Object.entries(value)) problems.push(...below(one ?? null, key, name));
    }
  }
  return problems;
}

function isExpression(pattern: JsonValue): boolean {
  try {
    return typeof pattern === 'string' && new RegExp(pattern, 'u') instanceof RegExp;
  } catch {
    return false;
  }
}

/** Nothing is fetched, so a reference must stay inside its schema. */
function leadsSomewhere(reference: string, root: JsonObject): boolean {
  if (reference === '#') return true;
  if (!reference.startsWith('#/')) return false;
  try {
    const parts = reference.slice(2).split('/').map(decodeURIComponent);
    const path = parts.map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
    return lookUp(root, path) !== undefined;
  } catch {
    return false;
  }
}
