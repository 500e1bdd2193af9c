/** Loads workflows in code with the loader of the program, in a process of a given version of Node. */
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildSync } from 'esbuild';
import { beforeAll } from 'vitest';
import { nodeOf } from '../rig/nodes.ts';
import { temporaryFolder } from '../rig/temporary-folder.ts';

const ROOT = path.join(path.dirname(fileURLToPath(import.meta.url)), '..', '..');

const DRIVER = `
import fs from 'node:fs';
import { createModuleLoader } from './loader.mjs';
const [workspace, dist, ...files] = process.argv.slice(2);
const loader = createModuleLoader({ dist, importModule: (specifier) => import(specifier) });
const placed = ({ file, start, end }) => {
  const lines = file.text.slice(0, start).split('\\n');
  return { at: \`\${file.path}:\${lines.length}:\${lines.at(-1).length + 1}\`, text: file.text.slice(start, end) };
};
const loads = [];
for (const step of files) {
  const asked = JSON.parse(step);
  for (const [name, text] of Object.entries(asked.write ?? {})) fs.writeFileSync(workspace + '/' + name, text);
  const got = await loader.load({ workspace, ...asked });
  loads.push(got.type === 'ok'
    ? { value: await got.value.exports.default, sources: got.value.sources.map(({ file }) => file), digests: got.value.sources.map(({ digest }) => digest) }
    : { problems: got.error.map(({ range, severity, ...rest }) => ({ ...rest, ...(range && placed(range)) })) });
}
console.log(JSON.stringify(loads));
`;

export interface Load {
  readonly value?: unknown;
  readonly sources?: readonly string[];
  readonly digests?: readonly string[];
  readonly problems?: readonly { readonly [name: string]: unknown }[];
}

export interface LoadStep {
  readonly file: string;
  readonly copies?: string;
  /** Files to write before. */
  readonly write?: { readonly [name: string]: string };
}

export interface Loading {
  readonly node?: string;
  readonly env?: { readonly [name: string]: string };
}

/** Built once for the tests of a file. Returns what each step loads, all in one process, which must print nothing else. */
export function moduleLoading(): (
  workspace: string,
  steps: readonly LoadStep[],
  loading?: Loading,
) => readonly Load[] {
  let folder = '';
  beforeAll(() => {
    folder = fs.mkdtempSync(path.join(ROOT, 'node_modules', '.modules-test-'));
    fs.writeFileSync(path.join(folder, 'driver.mjs'), DRIVER);
    bundle('load-module', path.join(folder, 'loader.mjs'));
    const dist = path.join(folder, 'dist');
    fs.mkdirSync(dist);
    fs.copyFileSync(path.join(ROOT, 'dist', 'hooks-thread.mjs'), path.join(dist, 'hooks-thread.mjs'));
    fs.writeFileSync(
      path.join(dist, 'sdk.mjs'),
      "export const workflow = (value) => ({ of: 'the program', ...value });",
    );
    return () => fs.rmSync(folder, { recursive: true });
  });
  return (workspace, steps, { node = process.execPath, env = {} } = {}) => {
    const files = steps.map((step) => JSON.stringify(step));
    const stderr = path.join(temporaryFolder(), 'stderr');
    const fd = fs.openSync(stderr, 'w');
    const printed = execFileSync(
      node,
      [path.join(folder, 'driver.mjs'), workspace, path.join(folder, 'dist'), ...files],
      {
        encoding: 'utf8',
        env: { PATH: process.env['PATH'], XDG_CACHE_HOME: path.join(folder, 'caches'), ...env },
        stdio: ['ignore', 'pipe', fd],
      },
    );
    fs.closeSync(fd);
    const said = fs.readFileSync(stderr, 'utf8');
    if (said !== '') throw new Error(`it printed:\n${said}`);
    return JSON.parse(printed);
  };
}

function bundle(name: string, outfile: string): void {
  buildSync({
    entryPoints: [path.join(ROOT, 'src', 'modules', `${name}.ts`)],
    ...{ bundle: true, platform: 'node', format: 'esm', logLevel: 'error', outfile },
  });
}

/** Whether this version removes types by itself. */
export function knowsTypeScript(version: string): boolean {
  const node = nodeOf(version);
  const script = "process.stdout.write(typeof require('node:module').registerHooks)";
  return execFileSync(node, ['-e', script], { encoding: 'utf8' }) === 'function';
}
