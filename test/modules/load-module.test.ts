import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { MODULE_CODES } from '../../src/modules/codes.ts';
import { isInstalled, NODE_VERSIONS, nodeOf } from '../rig/nodes.ts';
import { temporaryFolder, writeFiles } from '../rig/temporary-folder.ts';
import { knowsTypeScript, type Load, type LoadStep, moduleLoading } from './loading.ts';

const MODULES = path.join(path.dirname(fileURLToPath(import.meta.url)), '..', '..', 'node_modules');
const load = moduleLoading();
const seen = new Set<unknown>();
const installed = NODE_VERSIONS.filter(isInstalled);

function workspaceOf(files: { readonly [name: string]: string }): string {
  const workspace = fs.realpathSync(temporaryFolder());
  writeFiles(workspace, files);
  return workspace;
}

function loadIn(
  files: { readonly [name: string]: string },
  steps: readonly (string | LoadStep)[],
  node?: string,
): readonly Load[] {
  const asked = steps.map((step) => (typeof step === 'string' ? { file: step } : step));
  const loads = load(workspaceOf(files), asked, node === undefined ? {} : { node });
  for (const { problems = [] } of loads) for (const { code } of problems) seen.add(code);
  return loads;
}

const SHOUT = 'export const shout = (text) => text.toUpperCase();\n';
const JAVASCRIPT = {
  'a.workflow.mjs':
    "import { workflow } from 'orchestrate-run';\nimport { shout } from './lib/shout.mjs';\nimport data from './data.json' with { type: 'json' };\nexport default workflow({ name: shout(data.name) });\n",
  'b.workflow.js': "import { workflow } from 'orchestrate';\nexport default workflow({ name: 'b' });\n",
  'lib/shout.mjs': SHOUT,
  'data.json': '{"name": "a"}',
};
const TYPESCRIPT = {
  'a.workflow.ts':
    "import { workflow } from 'orchestrate-run';\nimport { shout, type Text } from './lib/shout.js';\nconst name: Text = shout('a');\nexport default workflow({ name });\n",
  'lib/shout.ts':
    'export type Text = string;\nexport const shout = (text: Text): Text => text.toUpperCase();\n',
};

describe.each(installed)('on Node %s, a workflow', (version) => {
  const node = nodeOf(version);

  it('in JavaScript is loaded without the package in its project, and its files are listed', () => {
    const [a, b] = loadIn(JAVASCRIPT, ['a.workflow.mjs', 'b.workflow.js'], node);
    expect(a).toMatchObject({
      value: { of: 'the program', name: 'A' },
      sources: ['a.workflow.mjs', 'lib/shout.mjs', 'data.json'],
    });
    expect(b).toMatchObject({ value: { of: 'the program', name: 'b' }, sources: ['b.workflow.js'] });
  });

  it('is loaded again when one of its files has changed, and only then', () => {
    const files = {
      'a.mjs':
        "import { n } from './n.mjs';\nexport default { n, at: globalThis.loads = (globalThis.loads ?? 0) + 1 };\n",
      'n.mjs': 'export const n = 1;\n',
    };
    const steps = ['a.mjs', 'a.mjs', { file: 'a.mjs', write: { 'n.mjs': 'export const n = 2;\n' } }, 'a.mjs'];
    const loads = loadIn(files, steps, node);
    expect(loads.map(({ value }) => value)).toEqual([
      { n: 1, at: 1 },
      { n: 1, at: 1 },
      { n: 2, at: 2 },
      { n: 2, at: 2 },
    ]);
    expect(loads[2]?.sources).toEqual(['a.mjs', 'n.mjs']);
    expect(loads[2]?.digests?.[0]).toBe(loads[0]?.digests?.[0]);
    expect(loads[2]?.digests?.[1]).not.toBe(loads[0]?.digests?.[1]);
  });

  it('is loaded again after a mistake was corrected', () => {
    const [wrong, right] = loadIn(
      { 'a.mjs': 'export default {;\n' },
      ['a.mjs', { file: 'a.mjs', write: { 'a.mjs': 'export default 1;\n' } }],
      node,
    );
    expect(wrong?.problems).toMatchObject([{ code: 'module/syntax' }]);
    expect(right?.value).toBe(1);
  });

  it('shares files with another one: both list them', () => {
    const use = "import { shout } from './lib/shout.mjs';\nexport default shout('x');\n";
    const files = {
      'a.mjs': use,
      'b.mjs': use,
      'lib/shout.mjs': "export * from './deep.mjs';\n",
      'lib/deep.mjs': SHOUT,
    };
    const sources = loadIn(files, ['a.mjs', 'b.mjs'], node).map((each) => each.sources);
    expect(sources).toEqual([
      ['a.mjs', 'lib/shout.mjs', 'lib/deep.mjs'],
      ['b.mjs', 'lib/shout.mjs', 'lib/deep.mjs'],
    ]);
  });

  it('is loaded from copies of its files, with packages from the place of the originals', () => {
    const workspace = workspaceOf({
      'part/a.mjs': "throw new Error('the original');\n",
      'part/n.mjs': 'export const n = 2;\n',
      'part/node_modules/pack/package.json': '{"name": "pack", "type": "module", "exports": "./pack.js"}',
      'part/node_modules/pack/pack.js': 'export const p = 5;\n',
      'kept/part/a.mjs': "import { n } from './n.mjs';\nimport { p } from 'pack';\nexport default n + p;\n",
      'kept/part/n.mjs': 'export const n = 1;\n',
    });
    const [a] = load(workspace, [{ file: 'part/a.mjs', copies: path.join(workspace, 'kept') }], { node });
    expect(a).toMatchObject({ value: 6, sources: ['part/a.mjs', 'part/n.mjs'] });
  });

  it.each([
    [
      'a.mjs',
      { 'a.mjs': 'export default {\n  b: = 2,\n};\n' },
      ['module/syntax', "unexpected token '='", 'a.mjs:2:6', '='],
    ],
    [
      'a.mjs',
      { 'a.mjs': "import { y } from './x.mjs';\n", 'x.mjs': 'export const z = 1;\n' },
      ['module/missing-export', '`./x.mjs` does not export `y`', 'a.mjs:1:10', 'y'],
    ],
    [
      'a.mjs',
      { 'a.mjs': "\nimport { z } from 'no-such-package/deep';\n" },
      [
        'module/import-not-found',
        'cannot find the package `no-such-package`',
        'a.mjs:2:19',
        "'no-such-package/deep'",
      ],
    ],
    [
      'a.mjs',
      { 'a.mjs': "import './lib/b.mjs';\n", 'lib/b.mjs': "import './gone.mjs';\n" },
      ['module/import-not-found', 'cannot find the file `lib/gone.mjs`', 'lib/b.mjs:1:8', "'./gone.mjs'"],
    ],
    [
      'a.mjs',
      { 'a.mjs': "import './b.mjs';\n", 'b.mjs': "\nthrow new TypeError('no luck');\n" },
      ['module/threw', 'loading `a.mjs` threw an error: TypeError: no luck', 'b.mjs:2:7', 'n'],
    ],
  ] as const)('%s that cannot be loaded is reported with the place (%#)', (file, files, expected) => {
    const [{ problems } = {}] = loadIn(files, [file], node);
    const [code, message, at, text] = expected;
    expect(problems).toEqual([expect.objectContaining({ code, message, at, text })]);
  });
});

describe.each(installed.filter(knowsTypeScript))('on Node %s, a workflow in TypeScript', (version) => {
  const node = nodeOf(version);

  it('is loaded with its types removed', () => {
    const [a] = loadIn(TYPESCRIPT, ['a.workflow.ts'], node);
    expect(a).toMatchObject({ value: { name: 'A' }, sources: ['a.workflow.ts', 'lib/shout.ts'] });
  });

  it.each([
    [
      'type A = 1;\nenum B { C }\n',
      [
        'module/unsupported-syntax',
        'TypeScript enum is not supported: types are removed, nothing is compiled',
        'a.ts:2:1',
        'enum B { C }',
      ],
    ],
    ['const x: number = ;\n', ['module/syntax', 'expression expected', 'a.ts:1:19', ';']],
    [
      'type A = 1;\nlet x: A = 1;\nlet x = 2;\n',
      ['module/syntax', expect.stringMatching(/already been de/), 'a.ts:3:5', 'x'],
    ],
    [
      'type A = 1;\nconst f = (x: A) => { throw 1 as never; };\nf(1);\n',
      ['module/threw', 'loading `a.ts` threw an error: 1', undefined, undefined],
    ],
  ] as const)('that cannot be loaded is reported with the place (%#)', (source, expected) => {
    const [{ problems } = {}] = loadIn({ 'a.ts': source }, ['a.ts'], node);
    const [code, message, at, text] = expected;
    expect(problems).toMatchObject([
      { code, message, ...(at === undefined ? { path: 'a.ts' } : { at, text }) },
    ]);
  });
});

const others = installed.filter((version) => !knowsTypeScript(version));

describe.each(others)('on Node %s, a workflow in TypeScript', (version) => {
  const node = nodeOf(version);

  it('needs tsx, esbuild or amaro', () => {
    const [a] = loadIn({ ...TYPESCRIPT, 'b.mjs': "import './lib/shout.ts';" }, ['a.workflow.ts'], node);
    expect(a?.problems).toEqual([
      {
        code: 'module/needs-typescript',
        message: expect.stringMatching(/^Node 2\d\.\d+\.\d+ cannot load TypeScript by itself$/),
        path: 'a.workflow.ts',
        help: 'use Node 22.18 or newer, or install tsx in the project: `npm install --save-dev tsx`',
      },
    ]);
  });

  it('is loaded with the esbuild of its project', () => {
    const workspace = workspaceOf({
      ...TYPESCRIPT,
      'bad.ts': 'const x: number = ;\n',
      'late.ts': 'interface Many {\n  lines: number;\n}\n\nthrow new Error(`no ${1 as unknown as Many}`);\n',
    });
    fs.mkdirSync(path.join(workspace, 'node_modules'));
    fs.symlinkSync(path.join(MODULES, 'esbuild'), path.join(workspace, 'node_modules', 'esbuild'));
    const files = ['a.workflow.ts', 'bad.ts', 'late.ts'].map((file) => ({ file }));
    const [a, bad, late] = load(workspace, files, { node });
    expect(a).toMatchObject({ value: { name: 'A' }, sources: ['a.workflow.ts', 'lib/shout.ts'] });
    expect(bad?.problems).toMatchObject([{ code: 'module/syntax', at: 'bad.ts:1:19', text: ';' }]);
    expect(late?.problems).toMatchObject([{ code: 'module/threw', at: 'late.ts:5:7' }]);
  });
});

it('a file that is not there, or is a folder, is reported', () => {
  const [gone, folder] = loadIn({ 'x/y': '' }, ['gone.mjs', 'x']);
  expect(gone?.problems).toEqual([
    {
      code: 'module/cannot-read',
      message: 'cannot read `gone.mjs`: no such file or folder (ENOENT)',
      path: 'gone.mjs',
    },
  ]);
  expect(folder?.problems).toMatchObject([{ message: 'cannot read `x`: it is not a file' }]);
});

/** What a module exports, and how it is written, is checked after it was loaded. */
const ABOUT_WORKFLOWS = new Set(['module/no-workflow', 'module/invalid-workflow', 'module/not-repeatable']);

it('the tests above have seen every diagnostic of this kind', () => {
  // Each is reported by some version of Node only.
  const all = others.length > 0 && others.length < installed.length;
  const missing = Object.keys(MODULE_CODES).filter((code) => !seen.has(code) && !ABOUT_WORKFLOWS.has(code));
  if (all) expect(missing).toEqual([]);
  expect([...seen].filter((code) => !(String(code) in MODULE_CODES))).toEqual([]);
});

const typed = installed.find(knowsTypeScript);

describe.runIf(typed !== undefined)('the text without types', () => {
  const node = nodeOf(typed ?? '');
  const A = { 'a.ts': "const x: string = 'right';\nexport default x;\n" };

  function cacheOf(caches: string): string {
    const folder = path.join(caches, 'orchestrate', 'stripped');
    const [name = ''] = fs.readdirSync(folder);
    return path.join(folder, name);
  }

  it('is kept for this user alone, and used the next time', () => {
    const workspace = workspaceOf(A);
    const env = { XDG_CACHE_HOME: temporaryFolder() };
    load(workspace, [{ file: 'a.ts' }], { node, env });
    const file = cacheOf(env.XDG_CACHE_HOME);
    expect(fs.statSync(file).mode & 0o777).toBe(0o600);
    expect(fs.statSync(path.dirname(file)).mode & 0o777).toBe(0o700);
    expect(fs.readFileSync(file, 'utf8')).toMatch(
      /^[0-9a-f]{64}\nconst x {9}= 'right';\nexport default x;\n$/,
    );
    const before = fs.statSync(file).mtimeMs;
    expect(load(workspace, [{ file: 'a.ts' }], { node, env })).toMatchObject([{ value: 'right' }]);
    expect(fs.statSync(file).mtimeMs).toBe(before);
  });

  it.each([
    ['it was damaged', (file: string) => fs.appendFileSync(file, ';')],
    ['others may write it', (file: string) => tamper(file, () => fs.chmodSync(file, 0o666))],
    [
      'others may write its folder',
      (file: string) => tamper(file, () => fs.chmodSync(path.dirname(file), 0o777)),
    ],
    ['it is a link', (file: string) => tamper(file, () => link(file))],
  ])('is made again if %s', (_, change) => {
    const workspace = workspaceOf(A);
    const env = { XDG_CACHE_HOME: temporaryFolder() };
    load(workspace, [{ file: 'a.ts' }], { node, env });
    change(cacheOf(env.XDG_CACHE_HOME));
    expect(load(workspace, [{ file: 'a.ts' }], { node, env })).toMatchObject([{ value: 'right' }]);
  });

  it('is not missed where it cannot be written', () => {
    const workspace = workspaceOf({ ...A, file: '' });
    for (const env of [
      { XDG_CACHE_HOME: path.join(workspace, 'file') },
      { XDG_CACHE_HOME: '', HOME: '/no/home' },
    ])
      expect(load(workspace, [{ file: 'a.ts' }], { node, env })).toMatchObject([{ value: 'right' }]);
    expect(fs.existsSync('/no/home')).toBe(false);
  });
});

/** A valid text that says something else, so that its use would be noticed. */
function tamper(file: string, change: () => void): void {
  const text = "export default 'wrong';\n";
  const { createHash } = process.getBuiltinModule('node:crypto');
  fs.writeFileSync(file, `${createHash('sha256').update(text).digest('hex')}\n${text}`);
  change();
}

function link(file: string): void {
  const target = path.join(temporaryFolder(), 'target');
  fs.renameSync(file, target);
  fs.symlinkSync(target, file);
}
