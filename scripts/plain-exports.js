/**
 * A plugin of the bundler: what a part exports becomes a plain property, `exports.a = a`. The bundler defines a getter for each, and eight
 * hundred closures and property descriptors take 2 ms of a short run. A getter remains where it makes a difference: for a variable that is assigned
 * to, and in parts that import each other, where a name may be asked for before it has a value.
 */
import { parseAst } from 'rolldown/parseAst';

export function plainExports() {
  let circular;
  return {
    name: 'plain-exports',
    renderStart() {
      circular = undefined;
    },
    renderChunk(code, { fileName }, _options, { chunks }) {
      circular ??= circularParts(chunks);
      if (circular.has(fileName)) return null;
      const { body } = parseAst(code);
      const assigned = assignedNames(body);
      return body
        .map(exportOf)
        .filter((found) => found !== undefined && !assigned.has(found.variable))
        .reduceRight(
          (text, { name, variable, start, end }) =>
            `${text.slice(0, start)}exports.${name} = ${variable};${text.slice(end)}`,
          code,
        );
    },
  };
}

/** Names of the parts that import themselves through others. */
function circularParts(chunks) {
  const importsOf = (name) => chunks[name]?.imports ?? [];
  const reaches = (from) => {
    const reached = new Set(importsOf(from));
    for (const name of reached) for (const next of importsOf(name)) reached.add(next);
    return reached.has(from);
  };
  return new Set(Object.keys(chunks).filter(reaches));
}

/** What `Object.defineProperty(exports, "name", { enumerable: true, get: function() { return variable; } })` exports. */
function exportOf({ expression, start, end }) {
  if (expression?.type !== 'CallExpression') return undefined;
  const { callee, arguments: given } = expression;
  if (callee.object?.name !== 'Object' || callee.property?.name !== 'defineProperty') return undefined;
  const [target, key, descriptor] = given;
  const getter = descriptor.properties.find((property) => property.key.name === 'get')?.value;
  if (target.name !== 'exports' || typeof key.value !== 'string' || getter === undefined) return undefined;
  const [{ argument }] = getter.body.body;
  // A package in CommonJS is loaded by a call when it is first asked for.
  if (argument.type !== 'Identifier') return undefined;
  return { name: key.value, variable: argument.name, start, end };
}

/** All names that are assigned to after their declaration, in whatever scope. */
function assignedNames(body) {
  const names = new Set();
  const visit = (node) => {
    if (node === null || typeof node !== 'object') return;
    if (node.type === 'AssignmentExpression') addNames(node.left, names);
    if (node.type === 'UpdateExpression') addNames(node.argument, names);
    if (node.type === 'ForInStatement' || node.type === 'ForOfStatement') addNames(node.left, names);
    for (const value of Object.values(node)) visit(value);
  };
  visit(body);
  return names;
}

/** The names in a pattern. Names of properties are among them, which only keeps a getter more. */
function addNames(pattern, names) {
  if (pattern === null || typeof pattern !== 'object') return;
  if (pattern.type === 'Identifier') names.add(pattern.name);
  if (pattern.type === 'MemberExpression') return;
  for (const value of Object.values(pattern)) addNames(value, names);
}
