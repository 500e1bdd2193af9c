/**
 * Builds `dist/`:
 *
 *   pack.cjs          the parts of the program that are needed most, each a function like the one Node creates from a CommonJS file
 *   chunks/*.cjs      the other parts
 *   hook/hook.cjs     a separate program for the hooks of an agent
 *   web/              the page of `orchestrate serve`, with its fonts
 *   spawn-helper-*    the spawn helper in C, if there is a C compiler (Linux)
 *   native-*.node     the native part of the program, if there is a C compiler (Linux)
 *   spawn-helper.cjs  the spawn helper for machines without the C one
 *   sandbox-gate.cjs  the way out of a sandbox without network
 *   ask-hook.cjs      checks a tool call of an agent
 *   sdk.mjs           what the package exports, and testing.mjs for tests of workflows
 *   types/            its declarations
 *   hooks-thread.mjs  loads the modules of the user, for versions of Node that ask a thread of its own
 *   man/              the manual page
 *   LICENSES.txt      the licences of the packages that are bundled into these
 *
 * Nothing of `node_modules` is needed at run time, so the package has no dependencies.
 *
 * Each script starts with the digest of its program, which names its code cache (`bin/orchestrate.js`).
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import { isBuiltin } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';
import { renderLicenses } from './licenses.js';
import { renderManual } from './manual.js';
import { plainExports } from './plain-exports.js';

const root = path.join(path.dirname(fileURLToPath(import.meta.url)), '..');
/** Replaces `dist` once it is complete: a failed build keeps the last one. */
const dist = path.join(root, `dist.${process.pid}`);
const chunks = path.join(dist, 'chunks');
const { version } = JSON.parse(fs.readFileSync(path.join(root, 'package.json'), 'utf8'));

/** Files of all modules that are part of something in `dist`. */
const bundledModules = new Set();

/** Loaded when something of them is called: most short commands need none of them, and loading them takes 3 ms. */
const LATE = ['node:child_process', 'node:net', 'node:os', 'node:readline/promises', 'node:timers/promises'];

/** The most used modules: these and everything they import statically. */
const PACKED = [
  'cli/main/main',
  ...['cli/commands/run', 'cli/commands/session', 'cli/commands/task', 'cli/commands/views'],
  ...['cli/session/list-tasks', 'cli/session/render-status'],
  ...['change-session', 'list-sessions', 'read-session'].map((name) => `operations/sessions/${name}`),
  ...['create-tasks', 'get-task', 'update-task'].map((name) => `operations/sessions/tasks/${name}`),
];

/**
 * Resolves Node's built-in modules to modules of the program. Otherwise the bundler copies the hundred functions of `node:fs` for every part
 * that imports it, which takes 2 ms of a short run. commander, which is CommonJS, imports `node:child_process` for commands that are separate
 * programs; we have none.
 */
const builtins = {
  name: 'builtins',
  resolveId(source, importer, { kind }) {
    if (!source.startsWith('node:')) return undefined;
    if (kind === 'import-statement') return `\0${source}`;
    return importer?.endsWith('/commander/lib/command.js') && LATE.includes(source)
      ? `\0${source}`
      : undefined;
  },
  load(id) {
    if (!id.startsWith('\0node:')) return undefined;
    const name = id.slice(1);
    const builtin = process.getBuiltinModule(name);
    const names = Object.keys(builtin).filter((key) => /^[A-Za-z]\w*$/.test(key));
    if (LATE.includes(name)) return lateModule(name, names, builtin);
    const lines = names.map((key) => `export const ${key} = builtin.${key};`);
    return `const builtin = process.getBuiltinModule('${name}');\nexport default builtin;\n${lines.join('\n')}`;
  },
};

/** Functions and classes that look the real ones up when they are called. Anything else is a member of the default export only. */
function lateModule(name, names, builtin) {
  const real = `process.getBuiltinModule('${name}')`;
  const isCalled = (key) => typeof builtin[key] === 'function';
  const functions = names
    .filter(isCalled)
    .map(
      (key) =>
        `export function ${key}(...args) { const real = ${real}.${key}; return new.target ? new real(...args) : real(...args); }`,
    );
  const members = names.map((key) => (isCalled(key) ? key : `get ${key}() { return ${real}.${key}; }`));
  return `${functions.join('\n')}\nexport default { ${members.join(', ')} };`;
}

try {
  await buildProgram();
  await buildHook();
  const [helper] = await bundle({ 'spawn-helper': 'src/process/spawn-helper.ts' });
  write(path.join(dist, helper.fileName), helper.code);
  const [gate] = await bundle({ 'sandbox-gate': 'src/process/sandbox/inner-gate.ts' });
  write(path.join(dist, gate.fileName), gate.code);
  const [askHook] = await bundle({ 'ask-hook': 'src/effects/ask/hook.ts' });
  write(path.join(dist, askHook.fileName), askHook.code);
  await buildModule('hooks-thread', 'src/modules/hooks-thread.ts');
  await buildModule('sdk', 'src/sdk/index.ts');
  await buildModule('testing', 'src/sdk/testing.ts');
  writeTypes();
  await buildPage();
  writeManual();
  fs.writeFileSync(path.join(dist, 'LICENSES.txt'), renderLicenses([...bundledModules]));
  compileNative();
  takeItsPlace(path.join(root, 'dist'));
} finally {
  fs.rmSync(dist, { recursive: true, force: true });
}

async function buildProgram() {
  const parts = await bundle({
    main: 'src/cli/main/main.ts',
    orchestrator: 'src/sdk/embedded/orchestrator.ts',
    testing: 'src/sdk/tested/test-workflow.ts',
  });
  const mark = digestMark(parts);
  const packed = neededBy(
    PACKED.map((name) => path.join(root, 'src', `${name}.ts`)),
    parts,
  );
  const members = packed.map((part) => `${JSON.stringify(part.fileName)}:${functionOf(part)}`);
  write(path.join(dist, 'pack.cjs'), `${mark}({${members.join(',\n')}})`);
  for (const part of parts)
    if (!packed.includes(part)) write(path.join(chunks, part.fileName), mark + wrapped(part));
}

async function buildHook() {
  const parts = await bundle({ hook: 'src/phases/hook/main.ts' });
  for (const part of parts) write(path.join(dist, 'hook', part.fileName), digestMark(parts) + wrapped(part));
}

/** An ES module that Node loads by itself. */
async function buildModule(name, file) {
  const build = await rolldown({ input: { [name]: file }, cwd: root, platform: 'node', logLevel: 'warn' });
  const { output } = await build.generate({ format: 'esm', entryFileNames: '[name].mjs', minify: true });
  await build.close();
  noteModules(output);
  const [part, ...others] = output;
  const foreign = [...part.imports, ...part.dynamicImports].filter((each) => !isBuiltin(each));
  if (others.length + foreign.length > 0) throw new Error(`${name} is not one file: ${foreign.join(', ')}`);
  fs.writeFileSync(path.join(dist, part.fileName), part.code);
}

/** Declarations of what the package exports, and of what those use: nothing else of the program. */
function writeTypes() {
  const all = path.join(dist, 'all-types');
  const tsc = path.join(root, 'node_modules', '.bin', 'tsc');
  const made = spawnSync(tsc, ['-p', path.join(root, 'src', 'sdk'), '--outDir', all], { encoding: 'utf8' });
  if (made.status !== 0) throw new Error(`no declarations:\n${made.stdout}${made.stderr}`);
  const needed = new Set(['sdk/index.d.ts', 'sdk/testing.d.ts']);
  for (const name of needed) {
    const text = fs.readFileSync(path.join(all, name), 'utf8');
    // In declarations of a package, names end as those of JavaScript do.
    const renamed = text.replace(/(from '|import\(["'])(\.[^'"]*)\.ts(["'])/g, (_, before, file, quote) => {
      needed.add(path.posix.join(path.posix.dirname(name), `${file}.d.ts`));
      return `${before}${file}.js${quote}`;
    });
    write(path.join(dist, 'types', name), renamed);
  }
  fs.rmSync(all, { recursive: true });
}

/** The first script and the one of the other screens, a style sheet and two fonts. Everything is served by name, so names have no folders. */
async function buildPage() {
  const build = await rolldown({
    input: { app: 'web/main.tsx' },
    cwd: root,
    platform: 'browser',
    logLevel: 'warn',
    transform: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  });
  const { output } = await build.generate({
    ...{ format: 'esm', minify: true },
    ...{ entryFileNames: '[name].js', chunkFileNames: '[name].js' },
  });
  await build.close();
  noteModules(output);
  const web = path.join(dist, 'web');
  fs.mkdirSync(web, { recursive: true });
  for (const part of output) fs.writeFileSync(path.join(web, part.fileName), part.code);
  for (const name of ['index.html', 'icon.svg'])
    fs.copyFileSync(path.join(root, 'web', name), path.join(web, name));
  fs.copyFileSync(path.join(root, 'web', 'style.css'), path.join(web, 'app.css'));
  for (const [font, file] of [
    ['inter', 'inter-latin-wght-normal.woff2'],
    ['jetbrains-mono', 'jetbrains-mono-latin-wght-normal.woff2'],
  ]) {
    const folder = path.join(root, 'node_modules', '@fontsource-variable', font);
    fs.copyFileSync(path.join(folder, 'files', file), path.join(web, `${font}.woff2`));
    fs.copyFileSync(path.join(folder, 'LICENSE'), path.join(web, `${font}.LICENSE.txt`));
  }
}

/** The parts that contain these modules, and their imports. */
function neededBy(modules, parts) {
  const byName = new Map(parts.map((part) => [part.fileName, part]));
  const needed = new Set();
  const add = (part) => {
    if (needed.has(part)) return;
    needed.add(part);
    for (const name of part.imports) if (byName.has(name)) add(byName.get(name));
  };
  for (const file of modules) {
    const holding = parts.filter((part) => part.facadeModuleId === file || part.moduleIds.includes(file));
    if (holding.length === 0) throw new Error(`${file} is in no part`);
    for (const part of holding) add(part);
  }
  return [...needed];
}

function digestMark(parts) {
  const hash = createHash('sha256').update(version);
  for (const { fileName, code } of parts) hash.update(`\0${fileName}\0${code}`);
  return `/*${hash.digest('hex').slice(0, 16)}*/`;
}

function wrapped(part) {
  return `(${functionOf(part)})`;
}

/** Without parentheses V8 compiles it when it is called first, so that the code cache of a command has only the parts it uses. */
function functionOf({ code }) {
  return `function (exports, require, module, __filename, __dirname) {${code}\n}`;
}

function write(file, text) {
  fs.mkdirSync(path.dirname(file), { recursive: true });
  fs.writeFileSync(file, ascii(text));
}

/** The launcher reads one byte per character, which is faster. In strings and regular expressions the escape means the same. */
function ascii(text) {
  return text.replace(/[^\x00-\x7f]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

async function bundle(input) {
  const build = await rolldown({
    input,
    cwd: root,
    platform: 'node',
    logLevel: 'warn',
    plugins: [builtins, plainExports()],
    treeshake: { propertyReadSideEffects: false },
  });
  const { output } = await build.generate({
    format: 'cjs',
    exports: 'named',
    entryFileNames: '[name].cjs',
    chunkFileNames: '[name].cjs',
    minify: { compress: true, mangle: { toplevel: false }, codegen: { removeWhitespace: true } },
  });
  await build.close();
  noteModules(output);
  const foreign = output.flatMap((part) => [...part.imports, ...part.dynamicImports]).filter(isForeign);
  if (foreign.length > 0) throw new Error(`not bundled: ${foreign.join(', ')}`);
  return output;
}

function writeManual() {
  const read = (page) => fs.readFileSync(path.join(root, 'docs', page), 'utf8');
  const manual = renderManual({ cli: read('cli.md'), exitCodes: read('exit-codes.md'), version });
  fs.mkdirSync(path.join(dist, 'man'));
  fs.writeFileSync(path.join(dist, 'man', 'orchestrate.1'), manual);
}

function noteModules(output) {
  for (const { moduleIds = [] } of output) for (const id of moduleIds) bundledModules.add(id);
}

/** Neither a part of the program nor a module of Node: it would have to be installed. */
function isForeign(name) {
  return !name.endsWith('.cjs') && !isBuiltin(name);
}

/** Without these, starting a process takes longer, and a daemon that left our environment and session is not found. */
function compileNative() {
  if (process.platform !== 'linux') return;
  const machine = `${process.platform}-${process.arch}`;
  compile('spawn-helper.c', `spawn-helper-${machine}`, []);
  compile('native.c', `native-${machine}.node`, ['-shared', '-fPIC']);
}

function compile(source, name, flags) {
  const files = ['-o', path.join(dist, name), path.join(root, 'src', 'process', source)];
  const made = spawnSync('cc', ['-O2', ...flags, ...files], { encoding: 'utf8' });
  if (made.error?.code === 'ENOENT') return;
  if (made.status !== 0) console.warn(`${source} could not be compiled:\n${made.stderr}`);
}

function takeItsPlace(place) {
  const old = `${dist}.old`;
  if (fs.existsSync(place)) fs.renameSync(place, old);
  fs.renameSync(dist, place);
  fs.rmSync(old, { recursive: true, force: true });
}
