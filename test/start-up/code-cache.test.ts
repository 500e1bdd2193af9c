/** V8's code cache of the program: made at first use, and used only where it is certain what it is (`bin/orchestrate.js`). */
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { agentEnded, PhasesSite } from '../phases/site.ts';
import { type Ended, type StartOptions, Workspace } from '../rig/orchestrate.ts';
import { temporaryFolder } from '../rig/temporary-folder.ts';

const isRoot = process.getuid?.() === 0;
const NOBODY = 65534;
const WATCH = path.join(path.dirname(fileURLToPath(import.meta.url)), 'watch-scripts.cjs');
const FILES = {
  'a.yaml': 'name: a\nsteps:\n  - name: A\n    command: ["true"]\n',
  'loop.yaml':
    'name: loop\nsteps:\n  - name: L\n    for_each: {items: ["1"], steps: [{name: A, command: ["true"]}]}\n',
};

/** A workspace with a cache folder of its own. */
class Site {
  readonly workspace = new Workspace(FILES);
  readonly caches = temporaryFolder();
  readonly folder = path.join(this.caches, 'orchestrate');

  validate(options: StartOptions = {}): Promise<Ended> {
    return this.call(['validate', 'a.yaml'], options);
  }

  call(argv: readonly string[], options: StartOptions = {}): Promise<Ended> {
    const env = { XDG_CACHE_HOME: this.caches, ...options.env };
    return this.workspace.run(argv, { ...options, env });
  }

  /** `script accepted`, `script none`, … for each script of a call. A call that is watched makes no cache. */
  async scriptsOf(argv: readonly string[] = ['validate', 'a.yaml']): Promise<readonly string[]> {
    const log = path.join(temporaryFolder(), 'scripts');
    const env = { NODE_OPTIONS: `--require=${WATCH}`, SCRIPTS_LOG: log };
    expect(await this.call(argv, { env })).toMatchObject({ exitCode: 0, stderr: '' });
    return fs.readFileSync(log, 'utf8').trimEnd().split('\n');
  }

  /** The one that there is. */
  get file(): string {
    const [name = '', ...others] = this.names;
    expect(others).toEqual([]);
    return path.join(this.folder, name);
  }

  get names(): readonly string[] {
    return fs.existsSync(this.folder) ? fs.readdirSync(this.folder).sort() : [];
  }
}

async function siteWithCache(): Promise<Site> {
  const site = new Site();
  expect(await site.validate()).toMatchObject({ exitCode: 0, stderr: '' });
  return site;
}

describe('the code cache', () => {
  it('is made by the first call of a command, for this user alone, and used by the second', async () => {
    const site = new Site();
    expect(await site.scriptsOf()).toContain('pack.cjs none');
    expect(site.names).toEqual([]);
    expect(await site.validate()).toMatchObject({ exitCode: 0, stderr: '' });
    expect(path.basename(site.file)).toMatch(/^orchestrate-validate-[0-9a-f]{16}-v[\d.]+-\w+\.cache$/);
    expect(fs.statSync(site.file).mode & 0o777).toBe(0o600);
    expect(fs.statSync(site.folder).mode & 0o777).toBe(0o700);
    const scripts = await site.scriptsOf();
    expect(scripts).toContain('pack.cjs accepted');
    expect(scripts.filter((script) => !script.endsWith(' accepted'))).toEqual([]);
  });

  it('is left as it is by a call that needs nothing more', async () => {
    const site = await siteWithCache();
    const { ino, mtimeMs } = fs.statSync(site.file);
    await site.validate();
    expect(fs.statSync(site.file)).toMatchObject({ ino, mtimeMs });
  });

  it('is rebuilt by a call that needs more of the program', async () => {
    const site = new Site();
    for (const file of ['a.yaml', 'loop.yaml']) await site.call(['run', file, '--quiet']);
    for (const file of ['a.yaml', 'loop.yaml']) {
      const scripts = await site.scriptsOf(['run', file, '--quiet']);
      expect(scripts.filter((script) => !script.endsWith(' accepted'))).toEqual([]);
    }
  });

  it('is not made by an unknown command', async () => {
    const site = new Site();
    for (const word of ['nosuch', '../up', 'a.yaml']) expect((await site.call([word])).exitCode).toBe(2);
    expect(site.names).toEqual([]);
  });

  it('is made by a hook that is answered, and used by the next; where there is no workflow none is made', async () => {
    const site = new PhasesSite();
    const caches = temporaryFolder();
    const env = { XDG_CACHE_HOME: caches };
    await site.hook('post-tool-use', agentEnded({ prompt: 'Phase ID: phase_0' }), env);
    expect(fs.readdirSync(caches)).toEqual([]);
    await site.create('First', 'Second');
    await site.hook('post-tool-use', agentEnded({ prompt: 'Phase ID: phase_0' }), env);
    expect(fs.readdirSync(path.join(caches, 'orchestrate'))).toEqual([
      expect.stringMatching(/^hook-[0-9a-f]{16}-v[\d.]+-\w+\.cache$/),
    ]);
    const log = path.join(caches, 'scripts');
    const watched = { ...env, NODE_OPTIONS: `--require=${WATCH}`, SCRIPTS_LOG: log };
    await site.hook('stop', { hook_event_name: 'Stop', session_id: 's' }, watched);
    expect(fs.readFileSync(log, 'utf8')).toBe('hook.cjs accepted\n');
  });
});

describe('a code cache', () => {
  it.each<[string, (file: string) => void]>([
    ['with one other byte', (file) => change(file, (bytes) => flip(bytes, bytes.length / 4))],
    [
      'with one other byte in its last half',
      (file) => change(file, (bytes) => flip(bytes, bytes.length - 99)),
    ],
    ['with another header', (file) => change(file, (bytes) => flip(bytes, 3))],
    ['that was truncated', (file) => change(file, (bytes) => bytes.subarray(0, bytes.length / 2))],
    ['that is empty', (file) => fs.writeFileSync(file, '')],
    ['of zeros', (file) => change(file, (bytes) => Buffer.alloc(bytes.length))],
    ['that was made for another command', (file) => change(file, (bytes) => renamed(bytes))],
    ['that the group may write to', (file) => fs.chmodSync(file, 0o620)],
    ['that everyone may write to', (file) => fs.chmodSync(file, 0o602)],
    ['that is a link', (file) => putLink(file)],
  ])('%s is not used, and replaced', async (_, damage) => {
    const site = await siteWithCache();
    damage(site.file);
    expect(await site.scriptsOf()).toContain('pack.cjs none');
    expect(await site.validate()).toMatchObject({ exitCode: 0, stderr: '' });
    expect(fs.lstatSync(site.file).mode).toBe(0o100600);
    expect(await site.scriptsOf()).toContain('pack.cjs accepted');
  });

  it.skipIf(!isRoot)('of another user is not used, and replaced', async () => {
    const site = await siteWithCache();
    fs.chownSync(site.file, NOBODY, NOBODY);
    expect(await site.scriptsOf()).toContain('pack.cjs none');
    await site.validate();
    expect(fs.statSync(site.file).uid).toBe(0);
  });

  it.each<[string, (folder: string) => void]>([
    ['that the group may write to', (folder) => fs.chmodSync(folder, 0o770)],
    ['that everyone may write to', (folder) => fs.chmodSync(folder, 0o777)],
    ['that is a link', (folder) => putLink(folder)],
    ...(isRoot
      ? [
          ['of another user', (folder: string) => fs.chownSync(folder, NOBODY, NOBODY)] satisfies [
            string,
            (folder: string) => void,
          ],
        ]
      : []),
  ])('in a folder %s is neither used nor replaced', async (_, damage) => {
    const site = await siteWithCache();
    damage(site.folder);
    const before = fs.readdirSync(site.folder);
    const { ino } = fs.statSync(site.file);
    expect(await site.scriptsOf()).toContain('pack.cjs none');
    expect(await site.validate()).toMatchObject({ exitCode: 0, stderr: '' });
    expect(fs.readdirSync(site.folder)).toEqual(before);
    expect(fs.statSync(site.file).ino).toBe(ino);
  });

  it('of an older version is removed when there are many, and nothing else is', async () => {
    const site = new Site();
    fs.mkdirSync(site.folder, 0o700);
    const old = Array.from(
      { length: 30 },
      (_, i) => `orchestrate-run-${String(i).padStart(16, '0')}-v20.0.0-x64.cache`,
    );
    const foreign = ['notes.cache', 'orchestrate-run.cache', 'orchestrate-run-0-v20-x64.cache.bak'];
    for (const [i, name] of [...old, ...foreign].entries()) {
      fs.writeFileSync(path.join(site.folder, name), '');
      fs.utimesSync(path.join(site.folder, name), i, i);
    }
    await site.validate();
    const kept = site.names.filter((name) => old.includes(name));
    expect(kept).toEqual(old.slice(-23));
    expect(site.names).toEqual(expect.arrayContaining(foreign));
    expect(site.names).toHaveLength(24 + foreign.length);
  });
});

describe('the program starts without a code cache', () => {
  it('where it was not given a home', async () => {
    const site = new Site();
    const none = { HOME: '', XDG_CACHE_HOME: '' };
    expect(await site.validate({ env: none })).toMatchObject({ exitCode: 0, stderr: '' });
    expect(fs.readdirSync(site.workspace.folder).sort()).toEqual(Object.keys(FILES));
  });

  it('where its home is not there, and does not make one', async () => {
    const site = new Site();
    const home = path.join(site.caches, 'nobody');
    const env = { HOME: home, XDG_CACHE_HOME: '' };
    expect(await site.validate({ env })).toMatchObject({ exitCode: 0, stderr: '' });
    expect(fs.existsSync(home)).toBe(false);
  });

  it('where the cache folder is given by a relative path', async () => {
    const site = new Site();
    const env = { HOME: '', XDG_CACHE_HOME: 'caches' };
    expect(await site.validate({ env })).toMatchObject({ exitCode: 0, stderr: '' });
    expect(fs.readdirSync(site.workspace.folder).sort()).toEqual(Object.keys(FILES));
  });

  it('where it cannot write to its home', async () => {
    const site = new Site();
    const home = path.join(site.caches, 'home');
    fs.mkdirSync(home);
    fs.chmodSync(home, 0o555);
    fs.chmodSync(site.caches, 0o755);
    fs.chmodSync(site.workspace.folder, 0o755);
    const env = { HOME: home, XDG_CACHE_HOME: '' };
    const ended = await site.validate({ env, ...(isRoot ? { uid: NOBODY } : {}) });
    expect(ended).toMatchObject({ exitCode: 0, stderr: '' });
    expect(fs.readdirSync(home)).toEqual([]);
  });

  it('where its home has no cache folder yet: that is made', async () => {
    const site = new Site();
    const env = { HOME: site.caches, XDG_CACHE_HOME: '' };
    expect(await site.validate({ env })).toMatchObject({ exitCode: 0, stderr: '' });
    const caches = process.platform === 'darwin' ? 'Library/Caches' : '.cache';
    expect(fs.readdirSync(path.join(site.caches, caches, 'orchestrate'))).toHaveLength(1);
  });

  it('where many are started for the first time at once, and leaves one whole cache', async () => {
    const site = new Site();
    const ended = await Promise.all(Array.from({ length: 6 }, () => site.validate()));
    expect(ended.map(({ exitCode, stderr }) => ({ exitCode, stderr }))).toEqual(
      ended.map(() => ({ exitCode: 0, stderr: '' })),
    );
    expect(fs.existsSync(site.file)).toBe(true);
    expect(await site.scriptsOf()).toContain('pack.cjs accepted');
  });
});

function change(file: string, how: (bytes: Buffer) => Buffer): void {
  fs.writeFileSync(file, how(fs.readFileSync(file)));
}

function flip(bytes: Buffer, at: number): Buffer {
  const index = Math.floor(at);
  bytes.writeUInt8(bytes.readUInt8(index) ^ 1, index);
  return bytes;
}

/** Both halves say so. */
function renamed(bytes: Buffer): Buffer {
  const text = bytes.toString('latin1').replaceAll('orchestrate-validate', 'orchestrate-valitade');
  return Buffer.from(text, 'latin1');
}

function putLink(file: string): void {
  fs.renameSync(file, `${file}~`);
  const elsewhere = path.join(temporaryFolder(), 'moved');
  fs.renameSync(`${file}~`, elsewhere);
  fs.symlinkSync(elsewhere, file);
}
