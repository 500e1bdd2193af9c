/** A daemon drops its environment, session and parent. It is stopped anyway: nothing of a run is left running. */
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { BINARY, until, Workspace } from '../rig/orchestrate.ts';

/** `daemon NAME` starts a daemon and writes its pid to `NAME.pid`. */
const DAEMON = `daemon() { env -i setsid -f bash -c 'echo $$ > "$0.pid"; exec sleep 311' "$1" > /dev/null 2>&1; until [ -s "$1.pid" ]; do sleep 0.01; done; }
forked() { ( ( env -i setsid bash -c 'echo $$ > "$0.pid"; cd /; exec sleep 311' "$1" > /dev/null 2>&1 < /dev/null & ) & ); until [ -s "$1.pid" ]; do sleep 0.01; done; }
daemon "$1"; forked "$1-twice"
`;

/** Fails while one of them is alive; a zombie counts as dead. */
const LOOK = '! cat $(sed "s|.*|/proc/&/status|" one.pid one-twice.pid) | grep "State:.[^Z]"';

function workspaceWith(script: string, step: object = {}): Workspace {
  const steps = [{ name: 'Leave', command: ['bash', '-c', `. ./daemon.sh one; ${script}`], ...step }];
  return createWorkspace({ 'w.yaml': JSON.stringify({ steps }) });
}

function createWorkspace(files: { readonly [path: string]: string }): Workspace {
  const workspace = new Workspace({ 'daemon.sh': DAEMON, ...files });
  // Left over by a failed test.
  onTestFinished(() => {
    for (const { pid } of daemons(workspace)) if (isSleeping(pid)) process.kill(pid, 'SIGKILL');
  });
  return workspace;
}

interface Daemon {
  readonly name: string;
  readonly pid: number;
}

/** Every daemon that was started, by its pid file. */
function daemons(workspace: Workspace): readonly Daemon[] {
  return workspace
    .list('.')
    .filter((name) => name.endsWith('.pid'))
    .map((name) => ({ name: path.basename(name, '.pid'), pid: Number(workspace.read(name)) }));
}

/** Names of the live ones. */
function living(workspace: Workspace): readonly string[] {
  return daemons(workspace)
    .filter(({ pid }) => isSleeping(pid))
    .map(({ name }) => name);
}

/** Also matches the shell before it becomes `sleep`. */
function isSleeping(pid: number): boolean {
  try {
    return fs.readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('311');
  } catch {
    return false;
  }
}

function expectAllEnded(workspace: Workspace, count = 2): void {
  expect(daemons(workspace)).toHaveLength(count);
  expect(living(workspace)).toEqual([]);
}

describe.runIf(process.platform === 'linux')(
  'a daemon without its environment, session and parent is stopped',
  () => {
    it.each([
      ['succeeds', 'true', 0],
      ['fails', 'exit 3', 1],
    ])('when the run of a step that %s has ended', async (_, script, exitCode) => {
      const workspace = workspaceWith(script);
      expect(await workspace.run(['run', 'w.yaml'])).toMatchObject({ exitCode });
      expectAllEnded(workspace);
    });

    it('when its step has timed out, before the next one starts', async () => {
      const workspace = workspaceWith('sleep 311', { timeout_sec: 1, on: { failure: { goto: 'Look' } } });
      const [leave] = JSON.parse(workspace.read('w.yaml')).steps;
      const look = { name: 'Look', command: ['bash', '-c', LOOK] };
      workspace.write({ 'w.yaml': JSON.stringify({ steps: [leave, look] }) });
      expect(await workspace.run(['run', 'w.yaml'])).toMatchObject({ exitCode: 0 });
      expectAllEnded(workspace);
    });

    it('when an agent left it, before the next step starts', async () => {
      const workspace = workspaceWith('cat > /dev/null; echo done');
      const [leave] = JSON.parse(workspace.read('w.yaml')).steps;
      const steps = [
        { name: 'Ask', provider: 'agent', input_file: 'p.md' },
        { name: 'Look', command: ['bash', '-c', LOOK] },
      ];
      const providers = { agent: { command: leave.command, input_mode: 'stdin' } };
      workspace.write({ 'p.md': 'Go.', 'w.yaml': JSON.stringify({ providers, steps }) });
      expect(await workspace.run(['run', 'w.yaml'])).toMatchObject({ exitCode: 0 });
      expectAllEnded(workspace);
    });

    it('when its step is started by the spawn helper', async () => {
      const many = { items: Array.from({ length: 40 }, (_, i) => `d${i}`), max_parallel: 4 };
      const command = ['bash', 'daemon.sh', '${item}'];
      const steps = [{ name: 'Loop', for_each: { ...many, steps: [{ name: 'Leave', command }] } }];
      const workspace = createWorkspace({ 'w.yaml': JSON.stringify({ steps }) });
      expect(await workspace.run(['run', 'w.yaml'])).toMatchObject({ exitCode: 0 });
      expectAllEnded(workspace, 80);
    });

    it.each([['SIGINT'], ['SIGTERM']] as const)('at %s', async (signal) => {
      const workspace = workspaceWith('touch begun; sleep 311');
      const run = workspace.start(['run', 'w.yaml']);
      await until(() => workspace.has('begun'));
      run.child.kill(signal);
      await run.ended;
      expectAllEnded(workspace);
    });

    it('by `cancel`', async () => {
      const workspace = workspaceWith('touch begun; sleep 311');
      const run = workspace.start(['run', 'w.yaml']);
      await until(() => workspace.has('begun'));
      await workspace.run(['cancel', 'last']);
      await run.ended;
      expectAllEnded(workspace);
    });

    it.each([
      ['resume', 'resume'],
      ['cancel', 'cancel'],
    ])('by `%s` after the program was killed', async (_, command) => {
      const workspace = workspaceWith('[ -e begun ] && exit 0; touch begun; sleep 311');
      const run = workspace.start(['run', 'w.yaml']);
      await until(() => workspace.has('begun'));
      run.child.kill('SIGKILL');
      await run.ended;
      expect(living(workspace)).toHaveLength(2);
      const pids = daemons(workspace).map(({ pid }) => pid);
      expect(await workspace.run([command, 'last'])).toMatchObject({ exitCode: 0 });
      expect(pids.filter(isSleeping)).toEqual([]);
      expectAllEnded(workspace);
      if (command !== 'resume') return;
      const resumed = workspace.journal().find(({ type }) => type === 'run-resumed');
      expect(resumed).toMatchObject({ endedProcesses: expect.arrayContaining(pids) });
    });

    it('by `cancel` of the enclosing run, after both were killed', async () => {
      const script = '. ./daemon.sh one; echo $PPID > inner; touch begun; sleep 311';
      const inner = { steps: [{ name: 'In', command: ['bash', '-c', script] }] };
      const outer = { steps: [{ name: 'Out', command: [process.execPath, BINARY, 'run', 'inner.yaml'] }] };
      const workspace = createWorkspace({
        'inner.yaml': JSON.stringify(inner),
        'outer.yaml': JSON.stringify(outer),
      });
      const run = workspace.start(['run', 'outer.yaml']);
      await until(() => workspace.has('begun'));
      run.child.kill('SIGKILL');
      process.kill(Number(workspace.read('inner')), 'SIGKILL');
      await run.ended;
      expect(living(workspace)).toHaveLength(2);
      const [outerId = ''] = workspace.runs();
      expect(await workspace.run(['cancel', outerId])).toMatchObject({ exitCode: 0 });
      expectAllEnded(workspace);
    });

    it('and those of another run at the same time keep running', async () => {
      const other = workspaceWith('touch begun; sleep 311');
      const running = other.start(['run', 'w.yaml']);
      await until(() => other.has('begun'));
      const workspace = workspaceWith('true');
      expect(await workspace.run(['run', 'w.yaml'])).toMatchObject({ exitCode: 0 });
      expectAllEnded(workspace);
      expect(living(other)).toHaveLength(2);
      running.child.kill('SIGINT');
      await running.ended;
      expectAllEnded(other);
    });
  },
);
