/** The package after `npm install`, with no other package beside it. */
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { installedPackage } from '../rig/installed-package.ts';
import { Workspace } from '../rig/orchestrate.ts';
import { servePage } from '../rig/page-server.ts';

const PACKAGE_FILES = new URL('../../scripts/package-files.js', import.meta.url).href;
const MOST_BYTES = 6_000_000;
const ONE_STEP = 'name: one\nsteps:\n  - name: Say\n    command: [echo, hello]\n';
const INITIALIZE = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
};

const installed = installedPackage();
const files = (): readonly string[] => {
  const folder = path.join(installed.prefix, 'node_modules');
  return fs
    .readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => fs.lstatSync(path.join(folder, name)).isFile());
};
const manifest = () =>
  JSON.parse(
    fs.readFileSync(path.join(path.dirname(installed.command('orchestrate')), '..', 'package.json'), 'utf8'),
  );

describe('the installed package', () => {
  it('has a command of its own name, which is what `npx` runs, and the commands of the docs', () => {
    const { name, bin } = manifest();
    expect(Object.keys(bin).sort()).toEqual(['claude-iterate', 'orchestrate', 'orchestrate-run']);
    expect(bin[name]).toBe(bin.orchestrate);
  });

  it('exports the schemas, and only what exists, with its types', () => {
    const from = createRequire(path.join(installed.prefix, 'x.js'));
    const { name, exports } = manifest();
    for (const [entry, found] of Object.entries<string | { types: string }>(exports)) {
      expect(fs.existsSync(from.resolve(name + entry.slice(1))), entry).toBe(true);
      if (typeof found === 'string') continue;
      const types = path.join(installed.prefix, 'node_modules', name, found.types);
      expect(fs.existsSync(types), types).toBe(true);
    }
    expect(from(`${name}/schema`)).toMatchObject({ title: 'Orchestrate workflow' });
    expect(from(`${name}/schema/config`)).toMatchObject({ title: 'Orchestrate settings' });
  });

  it('gives a program what workflows are made of, and prints nothing', () => {
    const script = "import('orchestrate-run').then((sdk) => console.log(Object.keys(sdk).join(' ')))";
    const ran = spawnSync(process.execPath, ['-e', script], { cwd: installed.prefix, encoding: 'utf8' });
    expect(ran).toMatchObject({
      status: 0,
      stderr: '',
      stdout: 'Cancelled OrchestrateError StepFailed createOrchestrator effect workflow\n',
    });
  });

  it('contains the files of the kept list, and no others', async () => {
    const { problemsOf } = await import(PACKAGE_FILES);
    expect(problemsOf(installed.files)).toEqual([]);
    const stray = { path: 'dist/notes.txt', size: 6_000_000 };
    expect(problemsOf([...installed.files.filter(({ path: name }) => name !== 'LICENSE'), stray])).toEqual([
      'dist/notes.txt is not in scripts/package-files.txt',
      'the package has no LICENSE',
      expect.stringMatching(/^the package has \d+ bytes; the limit is 6000000$/),
    ]);
  });

  it('is one package of less than 6 MB, and npm has nothing to warn about', () => {
    expect(installed.stderr).toBe('');
    const packages = fs.readdirSync(path.join(installed.prefix, 'node_modules'));
    expect(packages.filter((name) => !name.startsWith('.'))).toEqual([manifest().name]);
    const sizes = files().map((name) => fs.statSync(path.join(installed.prefix, 'node_modules', name)).size);
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(MOST_BYTES);
  });

  it('runs nothing when it is installed and depends on nothing', () => {
    const { scripts = {}, ...rest } = manifest();
    const kinds = ['preinstall', 'install', 'postinstall', 'prepare', 'preprepare', 'postprepare'];
    expect(Object.keys(scripts).filter((name) => kinds.includes(name))).toEqual([]);
    const groups = ['dependencies', 'optionalDependencies', 'bundleDependencies'];
    expect(Object.keys(rest).filter((name) => groups.includes(name))).toEqual([]);
    const { peerDependencies = {}, peerDependenciesMeta = {} } = rest;
    for (const peer of Object.keys(peerDependencies))
      expect(peerDependenciesMeta[peer]).toEqual({ optional: true });
  });

  it('contains the licences of the packages that are bundled into it, and no code cache', () => {
    const names = files();
    const licenses = names.find((name) => name.endsWith('/dist/LICENSES.txt')) ?? '';
    const text = fs.readFileSync(path.join(installed.prefix, 'node_modules', licenses), 'utf8');
    const named = [...text.matchAll(/^-+\n(\S+) /gm)].map((match) => match[1]);
    for (const name of ['commander', 'yaml', 'valibot', 'preact', '@modelcontextprotocol/sdk'])
      expect(named).toContain(name);
    expect(names.filter((name) => name.endsWith('.cache'))).toEqual([]);
  });

  it('prints its version by each of its commands', async () => {
    const workspace = new Workspace();
    const { version, bin } = manifest();
    for (const [name, file] of Object.entries(bin)) {
      const program = name === 'claude-iterate' ? name : 'orchestrate';
      const ended = await workspace.run(['--version'], { binary: installed.command(name) });
      expect(ended, String(file)).toMatchObject({
        exitCode: 0,
        stdout: `${program} ${version}\n`,
        stderr: '',
      });
    }
  });

  it('starts from the link that npm makes', () => {
    const link = path.join(installed.prefix, 'node_modules', '.bin', 'orchestrate');
    expect(spawnSync(link, ['--help'], { encoding: 'utf8' })).toMatchObject({ status: 0, stderr: '' });
  });

  it('checks and runs a workflow', async () => {
    const binary = installed.command('orchestrate');
    const workspace = new Workspace({ 'one.yaml': ONE_STEP });
    expect(await workspace.run(['validate', 'one.yaml'], { binary })).toMatchObject({ exitCode: 0 });
    expect(await workspace.run(['run', 'one.yaml'], { binary })).toMatchObject({ exitCode: 0 });
    expect(workspace.step('Say')).toMatchObject({ status: 'completed', output: 'hello\n' });
  });

  it('plays the demo', async () => {
    const workspace = new Workspace();
    const ended = await workspace.run(['demo', '--dir', 'stage'], {
      binary: installed.command('orchestrate'),
    });
    expect(ended).toMatchObject({ exitCode: 0 });
    expect(workspace.has('stage/report.html')).toBe(true);
  });

  it('answers an agent over MCP', async () => {
    const ended = await new Workspace().run(['mcp'], {
      binary: installed.command('orchestrate'),
      input: `${JSON.stringify(INITIALIZE)}\n`,
    });
    expect(ended).toMatchObject({ exitCode: 0, stderr: '' });
    expect(JSON.parse(ended.stdout)).toMatchObject({
      id: 1,
      result: { serverInfo: { name: 'orchestrate', version: manifest().version } },
    });
  });

  it('serves its page and stops', async () => {
    const page = await servePage(new Workspace(), [], { binary: installed.command('orchestrate') });
    for (const name of ['/', '/app.js', '/app.css', '/inter.woff2'])
      expect((await page.ask(name)).status, name).toBe(200);
    page.started.child.kill('SIGTERM');
    expect(await page.started.ended).toMatchObject({ exitCode: 0, stderr: '' });
  });
});
