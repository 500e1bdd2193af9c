// Generates files from the definitions of the workflow format and of settings: the JSON Schemas for editors, the list of diagnostics, and the tables of
// the reference. With `--check` it writes nothing and fails if a committed copy is out of date.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { toJsonSchema } from '@valibot/to-json-schema';
import { importSource, root } from './import-source.js';

const entry = `
  export * from './src/workflow/schema/workflow-file.ts';
  export { CODES } from './src/workflow/load/codes.ts';
  export { MODULE_CODES } from './src/modules/codes.ts';
  export { config } from './src/operations/config/schema.ts';
  export { engine } from './src/operations/config/engine-schema.ts';
`;

const { workflow, step, condition, config, engine, STEP_KINDS, CODES, MODULE_CODES } =
  await importSource(entry);
const { name: packageName } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const schema = jsonSchema();
const outputs = new Map([
  ['schema/workflow.schema.json', `${JSON.stringify(schema, null, 2)}\n`],
  ['schema/config.schema.json', `${settingsSchema('config', config, 'Orchestrate settings')}\n`],
  ['schema/engine.schema.json', `${settingsSchema('engine', engine, 'Orchestrate on several machines')}\n`],
  ['schema/schemastore.json', `${JSON.stringify(catalogEntries(), null, 2)}\n`],
  ['docs/diagnostics.md', diagnosticsPage()],
  ['docs/workflow-reference.md', referencePage()],
]);

const stale = [...outputs].filter(([path, text]) => read(path) !== text);
if (process.argv.includes('--check')) {
  for (const [path] of stale) console.error(`${path} is out of date: run \`npm run schema\``);
  process.exitCode = stale.length > 0 ? 1 : 0;
} else {
  for (const [path, text] of stale) writeFileSync(join(root, path), text);
}

function jsonSchema() {
  const converted = toJsonSchema(workflow, {
    typeMode: 'input',
    target: 'draft-07',
    definitions: { step, condition: condition.getter() },
    // For the loader, which reads the value differently; not for editors.
    ignoreActions: ['metadata'],
  });
  putInPlace(converted);
  const kinds = STEP_KINDS.map((kind) => ({ required: [kind] }));
  converted.$defs.step.oneOf = [
    ...STEP_KINDS.map((kind) =>
      kind === 'command_override'
        ? { required: [kind], not: { required: ['provider'] } }
        : { required: [kind] },
    ),
    // Its provider is that of `defaults`.
    { anyOf: [{ required: ['prompt'] }, { required: ['input_file'] }], not: { anyOf: kinds } },
  ];
  addOneOperator(converted);
  addExtensions(converted);
  dropKeyTypes(converted);
  const { $schema, ...rest } = converted;
  return { $schema, $id: addressOf('workflow'), title: 'Orchestrate workflow', ...rest };
}

/** Where the schema of the published package can be read. */
function addressOf(name) {
  return `https://unpkg.com/${packageName}/schema/${name}.schema.json`;
}

/** The entries for the catalog of SchemaStore, by which editors find a schema by the name of a file. */
function catalogEntries() {
  return [
    {
      name: 'Orchestrate workflow',
      description: 'A workflow of coding agents and commands',
      fileMatch: ['*.orchestrate.yaml', '*.orchestrate.yml'],
      url: addressOf('workflow'),
    },
    {
      name: 'Orchestrate settings',
      description: 'Settings of Orchestrate for a folder or a user',
      fileMatch: ['**/.orchestrate/config.yaml', '**/orchestrate/config.yaml'],
      url: addressOf('config'),
    },
    {
      name: 'Orchestrate engine',
      description: 'How runs of Orchestrate use several machines',
      fileMatch: ['**/.orchestrate/engine.yaml'],
      url: addressOf('engine'),
    },
  ];
}

/** Puts the parts that the loader makes late, which the converter numbers, where they are used. */
function putInPlace(converted) {
  const isNumbered = (ref) => /^#\/\$defs\/\d+$/.test(ref ?? '');
  const inPlace = (node) => {
    if (typeof node !== 'object' || node === null) return node;
    if (Array.isArray(node)) return node.map(inPlace);
    const { $ref, allOf, ...rest } = node;
    const [only] = allOf ?? [{ $ref }];
    if (isNumbered(only.$ref) && (allOf?.length ?? 1) === 1)
      return { ...inPlace(converted.$defs[only.$ref.split('/').pop()]), ...rest };
    return Object.fromEntries(Object.entries(node).map(([key, child]) => [key, inPlace(child)]));
  };
  const { $defs, ...rest } = converted;
  const named = Object.entries($defs).filter(([name]) => !/^\d+$/.test(name));
  Object.assign(converted, inPlace(rest), {
    $defs: Object.fromEntries(named.map(([name, part]) => [name, inPlace(part)])),
  });
}

function settingsSchema(name, of, title) {
  const converted = toJsonSchema(of, {
    ...{ typeMode: 'input', target: 'draft-07', ignoreActions: ['metadata'] },
  });
  converted.$defs ??= {};
  putInPlace(converted);
  const { $schema, $defs: _, ...rest } = converted;
  return JSON.stringify({ $schema, $id: addressOf(name), title, ...rest }, null, 2);
}

/** Every condition has exactly one key. */
function addOneOperator(node) {
  if (typeof node !== 'object' || node === null) return;
  if (node.properties?.not_exists !== undefined) Object.assign(node, { minProperties: 1, maxProperties: 1 });
  for (const child of Object.values(node)) addOneOperator(child);
}

/** Keys that start with `x-` are left to the user. */
function addExtensions(node) {
  if (typeof node !== 'object' || node === null) return;
  if (node.additionalProperties === false) node.patternProperties = { '^x-': {} };
  for (const child of Object.values(node)) addExtensions(child);
}

/** A key is text in any case; an editor takes an unquoted `7:` for a number. */
function dropKeyTypes(node) {
  if (typeof node !== 'object' || node === null) return;
  if (node.propertyNames?.type === 'string') {
    const { type: _, ...rest } = node.propertyNames;
    node.propertyNames = rest;
    if (Object.keys(rest).length === 0) delete node.propertyNames;
  }
  for (const child of Object.values(node)) dropKeyTypes(child);
}

function diagnosticsPage() {
  const areas = new Map();
  for (const [code, sentence] of Object.entries({ ...CODES, ...MODULE_CODES })) {
    const area = code.split('/')[0];
    areas.set(area, [...(areas.get(area) ?? []), `| \`${code}\` | ${sentence} |`]);
  }
  const titles = {
    workflow: 'The workflow',
    yaml: 'YAML',
    provider: 'Providers',
    template: 'Variables',
    inputs: 'Inputs',
    context: 'Context',
    environment: 'Environment',
    module: 'Workflows in TypeScript and JavaScript',
  };
  const sections = [...areas].map(
    ([area, rows]) => `## ${titles[area] ?? area}\n\n| code | meaning |\n| --- | --- |\n${rows.join('\n')}\n`,
  );
  return `# Diagnostics

The errors and warnings that \`orchestrate validate\` and every command that reads a workflow can report. Codes are stable. All
mistakes in a file are reported at once. If there is an error, nothing starts and the exit code is 2; warnings do not stop a run.

${sections.join('\n')}
This page is generated by \`npm run schema\`.
`;
}

/** The page is written by hand; the tables between its marks are generated. */
function referencePage() {
  const page = read('docs/workflow-reference.md') ?? '';
  return page.replace(
    /(<!-- keys: ([a-z_.[\]]*) -->\n)[\s\S]*?(<!-- end -->)/g,
    (_, begin, path, end) => `${begin}${tableOf(at(path))}${end}`,
  );
}

/** `step.wait_for`: the part of the schema at this path. */
function at(path) {
  let node = schema;
  for (const part of path.split('.').filter((word) => word !== '')) {
    const found = schema.$defs[part] && node === schema ? schema.$defs[part] : inside(node, part);
    if (found === undefined)
      throw new Error(`docs/workflow-reference.md refers to \`${path}\`, which is not in the schema`);
    node = found;
  }
  return node;
}

function inside(node, part) {
  const target = objectOf(node);
  if (part === '[]') return target.items ?? target.additionalProperties;
  return target.properties?.[part];
}

function objectOf(node) {
  return (node.anyOf ?? []).find((option) => option.properties !== undefined) ?? node;
}

function tableOf(node) {
  const { properties = {}, required = [] } = objectOf(node);
  const rows = Object.entries(properties).map(([key, value]) => {
    const fallback = value.default === undefined ? '' : `\`${JSON.stringify(value.default)}\``;
    const needed = required.includes(key) ? 'required' : fallback;
    return `| \`${key}\` | ${kindOf(value)} | ${needed} | ${describe(value).replaceAll('|', '\\|')} |`;
  });
  return `| key | value | default | |\n| --- | --- | --- | --- |\n${rows.join('\n')}\n`;
}

function describe(node) {
  if (node.description !== undefined) return node.description;
  if (node.$ref !== undefined) return schema.$defs[node.$ref.split('/').pop()].description ?? '';
  return '';
}

function kindOf(node) {
  if (node.$ref !== undefined) return node.$ref.split('/').pop();
  if (node.allOf !== undefined) return kindOf(node.allOf[0]);
  if (node.enum !== undefined) return node.enum.map((word) => `\`${word}\``).join(' ');
  if (node.anyOf !== undefined) {
    const kinds = new Set(node.anyOf.map(kindOf));
    return kinds.has('text') && kinds.has('number') ? 'text' : [...kinds].join(' or ');
  }
  if (node.type === 'array') return `list of ${kindOf(node.items ?? {})}`;
  const words = {
    string: 'text',
    number: 'number',
    integer: 'whole number',
    boolean: '`true` `false`',
    object: 'mapping',
    null: '`null`',
  };
  return words[node.type] ?? 'any value';
}

function read(path) {
  try {
    return readFileSync(join(root, path), 'utf8');
  } catch (error) {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  }
}
