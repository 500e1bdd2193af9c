import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { afterEach, describe, expect, it } from 'vitest';
import { MARK_VARIABLE } from '../../src/process/marks.ts';
import { parsePs, processStartTime, readProcessTable } from '../../src/process/process-table.ts';
import { endMarkedProcesses, terminateTree } from '../../src/process/terminate-tree.ts';
import { buildProgram, createBench, isAlive, pidIn } from './rig.ts';

const bench = createBench();
const children: ChildProcess[] = [];
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
});

function start(script: string, marks?: string): { readonly child: ChildProcess; readonly pid: number } {
  const env = { PATH: process.env['PATH'] ?? '', ...(marks === undefined ? {} : { [MARK_VARIABLE]: marks }) };
  const child = spawn('bash', ['-c', script], { stdio: 'ignore', detached: true, env });
  children.push(child);
  if (child.pid === undefined) throw new Error('not started');
  return { child, pid: child.pid };
}

let files = 0;
/** A file for a pid, and the pid once it is written. */
function pidFile(): { readonly path: string; read(): Promise<number> } {
  const path = bench.path(`${++files}.pid`);
  return { path, read: () => pidIn(path) };
}

describe('stopping a tree', () => {
  it('stops children, grandchildren, and those in their own session', async () => {
    const grandchild = pidFile();
    const own = pidFile();
    const script = `(sleep 600 & echo $! > ${grandchild.path}; wait) & setsid bash -c 'echo $$ > ${own.path}; exec sleep 600' & wait`;
    const { pid } = start(script);
    const pids = [pid, await grandchild.read(), await own.read()];
    const ended = await terminateTree(pid, { graceMs: 5_000 });
    expect(ended).toEqual(expect.arrayContaining(pids));
    expect(pids.filter(isAlive)).toEqual([]);
  });

  it('kills a process that ignores SIGTERM, and its new children', async () => {
    const inner = pidFile();
    const script = `trap "" TERM; echo $$ > ${inner.path}; while :; do sleep 0.01; sleep 0.01 & done`;
    const { pid } = start(script);
    await inner.read();
    await terminateTree(pid, { graceMs: 50 });
    expect(isAlive(pid)).toBe(false);
    const left = (await readProcessTable()).filter((entry) => entry.group === pid || entry.session === pid);
    expect(left).toEqual([]);
  });

  it('lets a process clean up first, and sends SIGTERM only once', async () => {
    const ready = pidFile();
    const said = bench.path('asked');
    const script = `n=0; trap 'n=$((n+1)); echo $n >> ${said}' TERM; echo $$ > ${ready.path}; while [ ! -e ${said} ]; do sleep 0.01; done; sleep 0.3; exit 0`;
    const { pid } = start(script);
    await ready.read();
    await terminateTree(pid, { graceMs: 5_000 });
    expect(bench.read('asked')).toBe('1\n');
  });

  it('does not signal a process that only has the same pid', async () => {
    const { pid } = start('exec sleep 600');
    await terminateTree(pid, { graceMs: 0, startTime: '1' });
    expect(isAlive(pid)).toBe(true);
    await terminateTree(pid, { graceMs: 1_000, startTime: processStartTime(pid) ?? '' });
    expect(isAlive(pid)).toBe(false);
  });

  it('never stops the calling process or its ancestors, only siblings', async () => {
    const program = await buildProgram(
      bench,
      'asks.mjs',
      `
          import { terminateTree } from './src/process/terminate-tree.ts';
          console.log(JSON.stringify(await terminateTree(process.ppid, { graceMs: 2000 })));`,
    );
    const beside = pidFile();
    const said = bench.path('asks');
    const { child } = start(
      `sleep 600 & echo $! > ${beside.path}; "${process.execPath}" ${program} > ${said}; exit 7`,
    );
    const exitCode = await new Promise((resolve) => child.once('exit', resolve));
    expect(exitCode).toBe(7);
    const pid = await beside.read();
    expect(JSON.parse(bench.read('asks'))).toEqual([pid]);
    expect(isAlive(pid)).toBe(false);
  });

  it('returns at once if there is nothing to stop', async () => {
    const { child, pid } = start('exit 0');
    await new Promise((resolve) => child.once('exit', resolve));
    expect(await terminateTree(pid, { graceMs: 600_000 })).toEqual([]);
  });
});

describe('stopping processes with a mark', () => {
  it('finds processes that have lost parent, group and session', async () => {
    const mark = `mark-${process.pid}`;
    const daemon = pidFile();
    const { child } = start(
      `(setsid setsid bash -c 'echo $$ > ${daemon.path}; exec sleep 600' &); exit 0`,
      `outer,${mark}`,
    );
    await new Promise((resolve) => child.once('exit', resolve));
    const pid = await daemon.read();
    const { pid: other } = start('exec sleep 600', `outer,${mark}0`);
    expect(await endMarkedProcesses(mark, { graceMs: 5_000 })).toEqual([pid]);
    expect(isAlive(pid)).toBe(false);
    expect(isAlive(other)).toBe(true);
  });
});

describe.runIf(process.platform === 'linux')('stopping recorded processes without /proc', () => {
  it('does not signal a process that got the same pid later', async () => {
    const program = await buildProgram(
      bench,
      'left.mjs',
      `
          import { startTimeOf } from './src/process/process-table.ts';
          import { endLeftProcesses } from './src/process/terminate-tree.ts';
          const [, , own, other] = process.argv;
          const startTime = startTimeOf(Number(own));
          const started = [{ pid: Number(own), startTime }, { pid: Number(other), startTime: 'Mon Jan 5 10:00:00 2026' }];
          console.log(JSON.stringify(await endLeftProcesses('no-such-mark', { graceMs: 5000, started })));`,
    );
    const own = start('exec sleep 600');
    const other = start('exec sleep 600');
    const asked = spawnSync(
      process.execPath,
      ['--require=./proof/rig/without-proc.cjs', program, String(own.pid), String(other.pid)],
      { encoding: 'utf8' },
    );
    expect(asked.stderr).toBe('');
    expect(JSON.parse(asked.stdout)).toEqual([own.pid]);
    expect([isAlive(own.pid), isAlive(other.pid)]).toEqual([false, true]);
  });
});

describe('the process table', () => {
  it('knows this process, its parent and its start', async () => {
    const own = (await readProcessTable()).find((entry) => entry.pid === process.pid);
    expect(own).toMatchObject({ parent: process.ppid, startTime: processStartTime(process.pid) });
  });

  it('has no entry for a process that has ended', async () => {
    const { child, pid } = start('exit 0');
    await new Promise((resolve) => child.once('exit', resolve));
    expect(processStartTime(pid)).toBeUndefined();
  });

  it('is read from ps without /proc', () => {
    const text =
      '    1     0     1 Ss   Mon Jan  5 10:00:00 2026\n  812     1   812 Z+   Mon Jan  5 10:00:01 2026\n';
    expect(parsePs(text)).toEqual([
      { pid: 1, parent: 0, group: 1, session: 0, startTime: 'Mon Jan 5 10:00:00 2026' },
    ]);
  });
});
