import { isJsonObject, type JsonObject, type JsonValue } from '../model/json.ts';

/** The smallest plausible value that a JSON Schema allows; always the same one. */
export function sampleValue(schema: JsonValue, root: JsonValue = schema, depth = 0): JsonValue {
  if (!isJsonObject(schema) || depth > 20) return null;
  if (schema['const'] !== undefined) return schema['const'];
  if (schema['default'] !== undefined) return schema['default'];
  for (const list of ['examples', 'enum']) {
    const [first] = Array.isArray(schema[list]) ? schema[list] : [];
    if (first !== undefined) return first;
  }
  const target = followPointer(schema['$ref'], root);
  if (target !== undefined) return sampleValue(target, root, depth + 1);
  for (const list of ['allOf', 'oneOf', 'anyOf']) {
    const [first] = Array.isArray(schema[list]) ? schema[list] : [];
    if (first !== undefined && isJsonObject(first)) {
      return sampleValue({ ...schema, [list]: undefined, ...first }, root, depth + 1);
    }
  }
  return sampleOfType(schema, root, depth);
}

function sampleOfType(schema: JsonObject, root: JsonValue, depth: number): JsonValue {
  const type = Array.isArray(schema['type']) ? schema['type'][0] : schema['type'];
  if (type === 'object' || isJsonObject(schema['properties'])) {
    const properties = isJsonObject(schema['properties']) ? schema['properties'] : {};
    const required = Array.isArray(schema['required']) ? schema['required'] : [];
    const sampled = required
      .filter((name) => typeof name === 'string')
      .map((name) => [name, sampleValue(properties[name] ?? {}, root, depth + 1)]);
    return Object.fromEntries(sampled) as JsonObject;
  }
  switch (type) {
    case 'array':
      return Array.from({ length: Number(schema['minItems'] ?? 0) }, () =>
        sampleValue(schema['items'] ?? {}, root, depth + 1),
      );
    case 'integer':
    case 'number':
      return Number(schema['minimum'] ?? 0);
    case 'boolean':
      return true;
    case 'null':
      return null;
    default:
      return sampleText(schema);
  }
}

function sampleText(schema: JsonObject): string {
  if (schema['format'] === 'date-time') return '2000-01-01T00:00:00Z';
  if (schema['format'] === 'date') return '2000-01-01';
  return 'sample'.padEnd(Number(schema['minLength'] ?? 0), '.');
}

function followPointer(pointer: JsonValue | undefined, root: JsonValue): JsonValue | undefined {
  if (typeof pointer !== 'string' || !pointer.startsWith('#/')) return undefined;
  let at: JsonValue | undefined = root;
  for (const segment of pointer.slice(2).split('/')) {
    if (!isJsonObject(at)) return undefined;
    at = at[segment.replaceAll('~1', '/').replaceAll('~0', '~')];
  }
  return at;
}
