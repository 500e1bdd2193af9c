/** A sandbox limits what a step may touch, with the real bubblewrap. */
import { execFileSync, spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import fs from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type Ended, until, Workspace } from '../rig/orchestrate.ts';
import { temporaryFolder } from '../rig/temporary-folder.ts';

const HAS_BUBBLEWRAP = spawnSync('bwrap', ['--ro-bind', '/', '/', 'true']).status === 0;
const IS_ROOT = process.getuid?.() === 0;

/** A workspace that is a git repository, and a home outside it. */
function stage(steps: string, files: { readonly [path: string]: string } = {}) {
  const home = temporaryFolder();
  const workspace = new Workspace({ 'w.yaml': `steps:\n${steps}\n`, ...files });
  execFileSync('git', ['init', '--quiet'], { cwd: workspace.folder });
  const run = (options: { readonly uid?: number; readonly env?: { readonly [name: string]: string } } = {}) =>
    workspace.run(['run', 'w.yaml'], { ...options, env: { HOME: home, ...options.env } });
  return { home, workspace, run };
}

/** A server on the machine's loopback that answers every connection with `hello`. */
async function listener(): Promise<number> {
  const server = net.createServer((client) => client.on('error', () => {}).end('hello'));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return (server.address() as net.AddressInfo).port;
}

const REACH = (port: number) => `cat < /dev/tcp/127.0.0.1/${port}`;

function mustSucceed({ exitCode, stderr }: Ended): void {
  expect(exitCode, stderr).toBe(0);
}

describe.skipIf(!HAS_BUBBLEWRAP)('a sandbox', () => {
  it.each([
    ['as the user of the tests', undefined],
    ...(IS_ROOT ? [['as an ordinary user', 61_234] as const] : []),
  ] as const)('lets a step write to the workspace and nowhere else, %s', async (_who, uid) => {
    const { workspace, home, run } = stage(`  - name: Work
    sandbox: workspace-write
    network: none
    script: |
      echo made > made.txt
      touch .git/made
      for place in "$HOME/out" /var/tmp/orchestrate-${randomUUID()} .orchestrate/out .git/hooks/out .git/config
      do (echo x >> "$place") 2>&1 || true
      done`);
    if (uid !== undefined) {
      for (const folder of [workspace.folder, home]) execFileSync('chown', ['-R', `${uid}:${uid}`, folder]);
    }
    mustSucceed(await run(uid === undefined ? {} : { uid }));
    expect(workspace.read('made.txt')).toBe('made\n');
    expect(workspace.has('.git/made')).toBe(true);
    const said = (workspace.step('Work').output ?? '').trim().split('\n');
    expect(said).toHaveLength(5);
    for (const line of said) expect(line).toMatch(/Read-only file system$/);
    expect(fs.readdirSync(home)).not.toContain('out');
    expect(workspace.has('.git/hooks/out')).toBe(false);
  });

  it('is read-only but for a private `/tmp`', async () => {
    const name = `orchestrate-${randomUUID()}.txt`;
    const { workspace, run } = stage(
      `  - name: Look
    sandbox: read-only
    script: |
      cat known.txt
      (echo x > known.txt) 2>&1 || true
      echo private > /tmp/${name}
      cat "$TMPDIR/${name}"`,
      { 'known.txt': 'known\n' },
    );
    mustSucceed(await run());
    expect(workspace.step('Look').output).toMatch(/^known\n.*Read-only file system\nprivate\n$/);
    expect(workspace.read('known.txt')).toBe('known\n');
    expect(fs.existsSync(`/tmp/${name}`)).toBe(false);
  });

  it('hides credentials of other programs and the sockets of services', async () => {
    const { workspace, home, run } = stage(`  - name: Look
    sandbox: workspace-write
    script: |
      cat ~/visible
      cat ~/.ssh/id 2>&1 || true
      (echo x > ~/.ssh/new) 2>&1 || true
      echo "npmrc: <$(cat ~/.npmrc)>"
      find /run -type s`);
    fs.mkdirSync(path.join(home, '.ssh'));
    fs.writeFileSync(path.join(home, '.ssh/id'), 'private key');
    fs.writeFileSync(path.join(home, '.npmrc'), 'token');
    fs.writeFileSync(path.join(home, 'visible'), 'visible\n');
    mustSucceed(await run());
    const said = workspace.step('Look').output ?? '';
    expect(said.split('\n')).toEqual([
      'visible',
      expect.stringContaining('No such file or directory'),
      expect.stringContaining('Read-only file system'),
      'npmrc: <>',
      '',
    ]);
    expect(fs.readFileSync(path.join(home, '.ssh/id'), 'utf8')).toBe('private key');
  });

  it('has no network, all of it, or only the allowed addresses', async () => {
    const [allowed, other] = [await listener(), await listener()];
    const step = (name: string, keys: string, port: number) =>
      `  - {name: ${name}, sandbox: workspace-write, ${keys}, allow_failure: true, script: "${REACH(port)}"}`;
    const { workspace, run } = stage(
      [
        step('None', 'network: none', allowed),
        step('Full', 'network: full', other),
        step('Allowed', `allow_hosts: ["127.0.0.1:${allowed}"]`, allowed),
        step('Other', `allow_hosts: ["127.0.0.1:${allowed}"]`, other),
        step('Nothing', 'network: model', allowed),
      ].join('\n'),
    );
    mustSucceed(await run());
    const outputs = ['None', 'Full', 'Allowed', 'Other', 'Nothing'].map(
      (name) => workspace.step(name).output ?? '',
    );
    expect(outputs).toEqual(['', 'hello', 'hello', '', '']);
    expect(['None', 'Other', 'Nothing'].map((name) => workspace.step(name).status)).toEqual([
      'failed',
      'failed',
      'failed',
    ]);
  });

  it('refuses other addresses through its proxy, and says what to do', async () => {
    const port = await listener();
    const { workspace, run } = stage(
      ['127.0.0.1', 'example.org']
        .map(
          (host, index) => `  - name: Ask${index}
    sandbox: workspace-write
    allow_hosts: ["localhost:${port}", "127.0.0.1:${port}"]
    command: [${process.execPath}, ask.cjs, "${host}:${port}"]`,
        )
        .join('\n'),
      {
        'ask.cjs': `const { hostname, port } = new URL(process.env.HTTPS_PROXY);
const socket = require('node:net').connect(port, hostname, () => socket.write('CONNECT ' + process.argv[2] + ' HTTP/1.1\\r\\n\\r\\n'));
socket.pipe(process.stdout);
`,
      },
    );
    mustSucceed(await run());
    expect(workspace.step('Ask0').output).toBe('HTTP/1.1 200 Connection established\r\n\r\nhello');
    expect(workspace.step('Ask1').output).toContain(
      `does not allow example.org:${port}; add it to \`allow_hosts\``,
    );
  });

  it('ends with its step: a process in a session of its own dies with it, and it sees no other process', async () => {
    const { workspace, run } = stage(`  - name: Leave
    sandbox: workspace-write
    script: |
      setsid sleep 271 < /dev/null > /dev/null 2>&1 &
      ls /proc | grep -c '^[0-9]'`);
    mustSucceed(await run());
    expect(Number(workspace.step('Leave').output)).toBeLessThan(12);
    expect(sleepers('271')).toEqual([]);
  });

  it('dies with the program, even if that is killed', async () => {
    const { workspace, home } = stage(`  - name: Stay
    sandbox: workspace-write
    script: "setsid sleep 272 & touch ready; wait"`);
    const started = workspace.start(['run', 'w.yaml'], { env: { HOME: home } });
    await until(() => workspace.has('ready') && sleepers('272').length > 0);
    process.kill(started.pid, 'SIGKILL');
    await started.ended;
    await until(() => sleepers('272').length === 0);
  });

  it('gives the program inside time to end itself', async () => {
    const { workspace, home } = stage(`  - name: Stay
    sandbox: workspace-write
    script: "trap 'for _ in 1 2 3; do sleep 0.1 || true; done; echo done > ended; exit 1' TERM; touch ready; while :; do sleep 0.1; done"`);
    const started = workspace.start(['run', 'w.yaml'], { env: { HOME: home } });
    await until(() => workspace.has('ready'));
    process.kill(started.pid, 'SIGTERM');
    expect(await started.ended).toMatchObject({ exitCode: 143 });
    expect(workspace.read('ended')).toBe('done\n');
  });

  it('also holds for the command that checks the work', async () => {
    const { workspace, home, run } = stage(`  - name: Work
    sandbox: workspace-write
    script: "printf 'touch ~/escaped\\n' > test.sh"
    expect: {command: [bash, test.sh]}`);
    expect(await run()).toMatchObject({ exitCode: 1 });
    expect(workspace.step('Work').error?.message).toContain('Read-only file system');
    expect(fs.readdirSync(home)).not.toContain('escaped');
  });

  it('lets isolated work write to its worktree, and not to the checkout', async () => {
    const { workspace, run } = stage(`  - name: Work
    isolate: worktree
    sandbox: workspace-write
    script: |
      echo made > made.txt
      (touch "$CHECKOUT/by-step") 2>&1 || true
    expect: {files: [made.txt]}`);
    execFileSync('git', ['add', '--all'], { cwd: workspace.folder });
    const author = ['-c', 'user.name=Test', '-c', 'user.email=test@example.org'];
    execFileSync('git', [...author, 'commit', '--quiet', '--message', 'start'], { cwd: workspace.folder });
    mustSucceed(await run({ env: { CHECKOUT: workspace.folder } }));
    expect(workspace.step('Work').output).toContain('Read-only file system');
    expect(workspace.read('made.txt')).toBe('made\n');
    expect(workspace.has('by-step')).toBe(false);
  });

  it('is chosen by the step, then the provider, then `defaults`', async () => {
    const workspace = new Workspace({
      'w.yaml': `defaults: {sandbox: read-only, network: none}
providers:
  writer: {command: [bash, -c, "cat > /dev/null; touch by-provider"], input_mode: stdin, sandbox: workspace-write}
steps:
  - {name: Default, allow_failure: true, command: [touch, by-default]}
  - {name: Provider, provider: writer, prompt: Write}
  - {name: Off, sandbox: off, command: [touch, by-step]}
`,
    });
    mustSucceed(await workspace.run(['run', 'w.yaml']));
    expect(['by-default', 'by-provider', 'by-step'].map((name) => workspace.has(name))).toEqual([
      false,
      true,
      true,
    ]);
  });

  it('reports a missing program as outside', async () => {
    const { workspace, run } = stage('  - {name: X, sandbox: read-only, command: [no-such-program]}');
    expect(await run()).toMatchObject({ exitCode: 1 });
    expect(workspace.step('X').error?.message).toBe('`no-such-program` not found on PATH');
  });
});

/** Settings of git that run a program whenever git reads `a.run`, and a place where it leaves a trace outside the sandbox. */
function trap(): { readonly trace: string; readonly script: string } {
  const trace = path.join(temporaryFolder(), 'trace');
  return {
    trace,
    script: `cp -r "$(git rev-parse --git-common-dir)" evil
      git config --file evil/config filter.x.clean 'touch "${trace}"; cat'
      git config --file evil/config core.worktree "$PWD"
      echo '*.run filter=x' > .gitattributes
      echo x > a.run`,
  };
}

describe.skipIf(!HAS_BUBBLEWRAP)('git outside a sandbox', () => {
  it('keeps its settings: the folder or file `.git` can be neither renamed nor replaced inside', async () => {
    const { trace, script } = trap();
    const { workspace, run } = stage(`  - name: Folder
    sandbox: workspace-write
    script: |
      (mv .git old) 2>&1 || true
      test -d .git
  - name: File
    sandbox: workspace-write
    isolate: worktree
    script: |
      ${script}
      (mv .git old) 2>&1 || true
      (echo "gitdir: $PWD/evil" > .git) 2>&1 || true`);
    mustSucceed(await run());
    expect(workspace.step('Folder').output).toMatch(/Device or resource busy\n$/);
    expect(workspace.step('File').output).toMatch(/Device or resource busy\n.*Read-only file system\n$/);
    expect(workspace.read('a.run')).toBe('x\n');
    expect(fs.existsSync(trace)).toBe(false);
  });

  it('does not use settings to which a file in its folder leads, and names that file', async () => {
    const { trace, script } = trap();
    const { workspace, home, run } = stage(`  - name: Work
    sandbox: workspace-write
    script: |
      ${script}
      echo ../evil > .git/commondir
  - {name: Next, isolate: worktree, command: [echo, next]}`);
    const ended = await run();
    expect(ended.exitCode).toBe(1);
    const file = path.join(fs.realpathSync(workspace.folder), '.git/commondir');
    expect(ended.stderr).toContain(
      `git uses the settings of another repository because of \`${file}\`; remove that file`,
    );
    expect(fs.existsSync(trace)).toBe(false);
    fs.rmSync(file);
    mustSucceed(await workspace.run(['resume', 'last'], { env: { HOME: home } }));
  });
});

it('starts nothing without bubblewrap', async () => {
  const bin = temporaryFolder();
  for (const name of ['bash', 'touch']) fs.symlinkSync(`/bin/${name}`, path.join(bin, name));
  const { workspace, run } = stage('  - {name: X, sandbox: workspace-write, command: [touch, started]}');
  expect(await run({ env: { PATH: bin } })).toMatchObject({ exitCode: 1 });
  expect(workspace.has('started')).toBe(false);
  expect(workspace.step('X').error?.message).toBe(
    'no sandbox, so it was not started: `bwrap` not found on PATH; install the package `bubblewrap`, or remove `sandbox`',
  );
});

/** Pids of `sleep <seconds>` processes on the whole machine; the number of seconds is unique to the test. */
function sleepers(seconds: string): readonly string[] {
  return fs.readdirSync('/proc').filter((pid) => {
    if (!/^\d+$/.test(pid)) return false;
    try {
      return fs.readFileSync(`/proc/${pid}/cmdline`, 'utf8') === `sleep\0${seconds}\0`;
    } catch {
      return false;
    }
  });
}
