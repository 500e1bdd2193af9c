import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import { constants } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { nativeIn } from '../../src/process/native.ts';
import {
  createProcessRunner,
  type ProcessRunner,
  type RunProcess,
  runProcess,
} from '../../src/process/run-process.ts';
import type { SpawnHelper } from '../../src/process/spawn-helpers.ts';
import { SpoolPool, sweepSpools } from '../../src/process/spool.ts';
import { openFiles } from '../rig/open-files.ts';
import { until } from '../rig/orchestrate.ts';
import { buildHelpers } from './build-helpers.ts';
import { processSuite } from './process-suite.ts';
import { bash, buildProgram, createBench, isAlive, pidIn, request } from './rig.ts';

const bench = createBench();
const helpers = await buildHelpers(bench);
const native = nativeIn(bench.folder);
/** For a system that refuses it: Node starts processes instead. */
const stampsOnly = () => {
  const part = native();
  return part === undefined ? undefined : { ...part, start: () => -constants.errno.ENOSYS };
};

let logs = 0;
/** Gives streams without a file one log each, so that children write their files themselves. */
function withLogs(run: RunProcess): RunProcess {
  return (asked) => {
    const stem = bench.path(`logs/${++logs}`);
    const logged = (name: 'stdout' | 'stderr') =>
      asked[name].files.length + (asked[name].opened ?? []).length === 0
        ? { ...asked[name], files: [`${stem}.${name}`] }
        : asked[name];
    return run({ ...asked, stdout: logged('stdout'), stderr: logged('stderr') });
  };
}

async function parentOfChild(run: RunProcess): Promise<number> {
  const end = await withLogs(run)(request(bash('echo $PPID')));
  if (end.type !== 'exited') throw new Error(`not started: ${JSON.stringify(end.failure)}`);
  return Number(end.stdout.head);
}

const best = helpers['native'] ?? helpers['node'] ?? { program: '', args: [], worthAfter: 0 };

/** Ready when children are started by the helper. */
async function createHelpedRunner(
  by: SpawnHelper = best,
): Promise<{ runner: ProcessRunner; helper: number }> {
  const runner = createProcessRunner({ helpers: [by], native: stampsOnly });
  for (;;) {
    const parent = await parentOfChild(runner.run);
    if (parent !== process.pid) return { runner, helper: parent };
  }
}

function spoolsIn(folder: string): readonly string[] {
  return fs.readdirSync(folder).filter((name) => name.startsWith('.spool-'));
}

describe('through pipes', () => {
  const runner = createProcessRunner({ native });
  afterAll(() => runner.close());
  // Watched output comes through pipes.
  processSuite((asked) => runner.run({ onOutput() {}, ...asked }));
});

describe.each([
  ['this program', native],
  ['Node', stampsOnly],
])('writing its own files, started by %s', (_, part) => {
  const runner = createProcessRunner({ native: part });
  afterAll(() => runner.close());
  processSuite(withLogs(runner.run));
});

describe.each(Object.entries(helpers))('started by the %s helper', (_, helper) => {
  let runner: ProcessRunner | undefined;
  beforeAll(async () => {
    ({ runner } = await createHelpedRunner(helper));
  });
  afterAll(() => runner?.close());
  processSuite((asked) => {
    if (runner === undefined) throw new Error('no runner yet');
    return withLogs(runner.run)(asked);
  });
});

describe('files that children write themselves', () => {
  const logged = (folder: string, name: string) => ({
    stdout: { files: [join(folder, `${name}.stdout`)] },
    stderr: { files: [join(folder, `${name}.stderr`)] },
  });

  it('are reused for the next process only while they are empty', async () => {
    const runner = createProcessRunner();
    const folder = bench.path('reuse');
    for (let i = 0; i < 20; i++) await runner.run(request(['true'], logged(folder, `quiet${i}`)));
    expect(fs.readdirSync(folder).length).toBe(spoolsIn(folder).length);
    await runner.run(request(bash('echo loud'), logged(folder, 'loud')));
    await runner.run(request(bash('echo louder'), logged(folder, 'louder')));
    expect(fs.readFileSync(join(folder, 'loud.stdout'), 'utf8')).toBe('loud\n');
    expect(fs.readFileSync(join(folder, 'louder.stdout'), 'utf8')).toBe('louder\n');
    expect(fs.statSync(join(folder, 'loud.stdout')).mode & 0o777).toBe(0o600);
    runner.close();
    expect(fs.readdirSync(folder).sort()).toEqual(['loud.stdout', 'louder.stdout']);
  });

  it('never mix the outputs of a thousand processes, many at once', async () => {
    const { runner } = await createHelpedRunner();
    const folder = bench.path('thousand');
    const expected = new Map<string, string>();
    let next = 0;
    const lane = async (): Promise<void> => {
      for (let id = next++; id < 1000; id = next++) {
        // One third each: silent, one stream, both.
        const out = id % 3 === 0 ? '' : `${id} ${'o'.repeat((id * 7919) % 3000)}\n`;
        const err = id % 3 === 2 ? `${id} err\n` : '';
        expected.set(`${id}.stdout`, out).set(`${id}.stderr`, err);
        const script = `printf %s "$1"; printf %s "$2" >&2; (exit 0) &`;
        const end = await runner.run(
          request(['bash', '-c', script, 'bash', out, err], logged(folder, String(id))),
        );
        expect(end).toMatchObject({ type: 'exited', exitCode: 0, stdout: { bytes: out.length } });
        if (end.type === 'exited') expect(end.stdout.head.toString()).toBe(out);
      }
    };
    await Promise.all(Array.from({ length: 8 }, lane));
    runner.close();
    for (const [name, text] of expected) {
      const path = join(folder, name);
      const found = fs.existsSync(path) ? fs.readFileSync(path, 'utf8') : '';
      expect(found).toBe(text);
    }
    expect(spoolsIn(folder)).toEqual([]);
  });

  it('are not reused while a background child in its own session can still write to them', async () => {
    const runner = createProcessRunner();
    const folder = bench.path('late');
    const gate = bench.path('late-gate');
    const wrote = bench.path('late-wrote');
    const late = `setsid bash -c 'until [ -e ${gate} ]; do sleep 0.01; done; echo late; touch ${wrote}' & disown`;
    await runner.run(request(bash(late), logged(folder, 'parent')));
    for (let i = 0; i < 10; i++) await runner.run(request(['true'], logged(folder, `next${i}`)));
    fs.writeFileSync(gate, '');
    await until(() => fs.existsSync(wrote));
    await runner.run(request(bash('echo mine'), logged(folder, 'after')));
    runner.close();
    // In its own log, or, if many other processes start, in no log at all; never in another's.
    const own = join(folder, 'parent.stdout');
    if (fs.existsSync(own)) expect(fs.readFileSync(own, 'utf8')).toBe('late\n');
    expect(fs.readFileSync(join(folder, 'after.stdout'), 'utf8')).toBe('mine\n');
    expect(fs.readdirSync(folder).filter((name) => name.startsWith('next'))).toEqual([]);
  });

  it('leave nothing behind if a background child writes elsewhere, or many other processes start', async () => {
    const runner = createProcessRunner();
    const folder = bench.path('nothing');
    const pid = bench.path('elsewhere.pid');
    // Until it executes another program, the child is a copy of its parent with the same files.
    const elsewhere = `sleep 600 >/dev/null 2>&1 & echo $! > ${pid}; until [ $(< /proc/$!/comm) = sleep ]; do :; done`;
    await runner.run(request(bash(elsewhere), logged(folder, 'elsewhere')));
    await runner.run(request(bash('for i in {1..300}; do /bin/true; done'), logged(folder, 'many')));
    process.kill(await pidIn(pid), 'SIGKILL');
    runner.close();
    expect(fs.readdirSync(folder)).toEqual([]);
  });

  it('can be read under the name of the log while the process still runs', async () => {
    const runner = createProcessRunner();
    const folder = bench.path('live');
    const gate = bench.path('live-gate');
    const running = runner.run(
      request(
        bash(`echo early; until [ -e ${gate} ]; do sleep 0.01; done; echo end`),
        logged(folder, 'long'),
      ),
    );
    const log = join(folder, 'long.stdout');
    await until(() => fs.existsSync(log) && fs.readFileSync(log, 'utf8') === 'early\n');
    fs.writeFileSync(gate, '');
    const end = await running;
    expect(end).toMatchObject({ type: 'exited', exitCode: 0, stdout: { bytes: 10 } });
    expect(fs.readFileSync(log, 'utf8')).toBe('early\nend\n');
    runner.close();
  });

  it('are removed after an owner was killed, and logs are not', async () => {
    const folder = bench.path('swept');
    await createProcessRunner().run(request(bash('echo kept'), logged(folder, 'one')));
    new SpoolPool().take(join(folder, 'two.stdout'));
    expect(spoolsIn(folder)).not.toEqual([]);
    sweepSpools(folder);
    expect(fs.readdirSync(folder)).toEqual(['one.stdout']);
    sweepSpools(bench.path('no-such-folder'));
  });

  it('are created again if their folder was emptied', async () => {
    const runner = createProcessRunner();
    const folder = bench.path('emptied');
    await runner.run(request(['true'], logged(folder, 'one')));
    fs.rmSync(folder, { recursive: true });
    const end = await runner.run(request(bash('echo two'), logged(folder, 'two')));
    expect(end).toMatchObject({ type: 'exited', exitCode: 0 });
    expect(fs.readFileSync(join(folder, 'two.stdout'), 'utf8')).toBe('two\n');
    runner.close();
  });
});

describe('two thousand processes', () => {
  it('leave no file descriptor open, started from here or by the helper', async () => {
    const here = createProcessRunner();
    const { runner: helped } = await createHelpedRunner();
    const quiet = withLogs(here.run);
    const loud = withLogs(helped.run);
    await quiet(request(['true']));
    await loud(request(['true']));
    const before = openFiles();
    for (let i = 0; i < 500; i++) {
      await Promise.all([
        quiet(request(['true'])),
        loud(request(['true'])),
        loud(request(['echo', 'x'])),
        runProcess(request(['true'])),
      ]);
    }
    // A few more spools may be open than at the start, since several processes ran at once.
    await until(() => openFiles() <= before + 12);
    here.close();
    helped.close();
  });
});

describe.each(Object.entries(helpers))('when the %s helper is killed', (kind, by) => {
  it('a process it had started is stopped and reported as lost, and the next ones start from here', async () => {
    const { runner, helper } = await createHelpedRunner(by);
    const run = withLogs(runner.run);
    const file = bench.path(`lost-${kind}.pid`);
    const running = run(request(bash(`echo $$ > ${file}; exec sleep 600`)));
    const pid = await pidIn(file);
    process.kill(helper, 'SIGKILL');
    expect(await running).toMatchObject({ type: 'not-started', failure: { type: 'internal-error' } });
    expect(isAlive(pid)).toBe(false);
    expect(await parentOfChild(runner.run)).toBe(process.pid);
    runner.close();
  });

  it('requests it had not answered yet are still carried out, once each', async () => {
    const { runner, helper } = await createHelpedRunner(by);
    process.kill(helper, 'SIGSTOP');
    const run = withLogs(runner.run);
    const marks = bench.path(`once-${kind}`);
    const ends = Array.from({ length: 5 }, (_, i) => run(request(bash(`echo ${i} >> ${marks}; echo ${i}`))));
    process.kill(helper, 'SIGKILL');
    for (const [i, end] of (await Promise.all(ends)).entries()) {
      if (end.type !== 'exited') throw new Error('not started');
      expect(end.stdout.head.toString()).toBe(`${i}\n`);
    }
    expect(fs.readFileSync(marks, 'utf8').trim().split('\n').sort()).toEqual(['0', '1', '2', '3', '4']);
    runner.close();
  });
});

describe('a helper that cannot start', () => {
  const absent: SpawnHelper = { program: bench.path('no-such-helper'), args: [], worthAfter: 2 };
  const foreign: SpawnHelper = { program: bench.path('foreign'), args: [], worthAfter: 2 };
  const broken: SpawnHelper = { ...absent, program: process.execPath, args: [bench.path('none.cjs')] };
  // Like a program built for another kind of machine.
  beforeAll(() => fs.writeFileSync(foreign.program, Buffer.from('\x7fELF\x02\x01\x01'), { mode: 0o755 }));

  it.each([{ absent }, { foreign }, { broken }])('blocks nothing: %o', async (each) => {
    const runner = createProcessRunner({ helpers: Object.values(each) });
    for (let i = 0; i < 20; i++) expect(await parentOfChild(runner.run)).toBe(process.pid);
    runner.close();
  });

  it('is replaced by the next', async () => {
    const runner = createProcessRunner({ helpers: [absent, foreign, broken, best] });
    while ((await parentOfChild(runner.run)) === process.pid);
    runner.close();
  });
});

describe.each(Object.entries(helpers))('the %s helper', (kind, helper) => {
  it('ends when its parent has ended, and does not keep the parent alive while idle', async () => {
    const program = await buildProgram(
      bench,
      'parent.mjs',
      `
          import { createProcessRunner } from './src/process/run-process.ts';
          const runner = createProcessRunner({ helpers: [JSON.parse(process.argv[2])] });
          const output = (name) => ({ files: [process.argv[3] + '/' + name], headBytes: 99, tailBytes: 0 });
          for (;;) {
            const end = await runner.run({
              argv: ['bash', '-c', 'echo $PPID'], cwd: '/', env: { PATH: process.env.PATH }, stdin: { type: 'none' },
              mask: [], signal: new AbortController().signal, stdout: output('out'), stderr: output('err'),
            });
            const parent = Number(end.stdout.head);
            if (parent !== process.pid) { console.log(parent); break; }
          }`,
    );
    const end = await runProcess(
      request([process.execPath, program, JSON.stringify(helper), bench.path(`parent-logs-${kind}`)]),
    );
    if (end.type !== 'exited') throw new Error('not started');
    expect(end.exitCode).toBe(0);
    const pid = Number(end.stdout.head);
    expect(pid).toBeGreaterThan(1);
    await until(() => !isAlive(pid));
  });
});

describe('a process that cannot be stopped', () => {
  const isRoot = process.getuid?.() === 0;
  const installed = spawnSync('sh', ['-c', 'command -v setpriv'], { encoding: 'utf8' }).stdout.trim();

  // Needs a program that becomes another user, as `sudo` does.
  it.runIf(isRoot && installed !== '')('is reported as timed out, and is not waited for', async () => {
    const setpriv = bench.path('setpriv-as-root');
    fs.copyFileSync(installed, setpriv);
    fs.chmodSync(setpriv, 0o4755);
    fs.chmodSync(bench.folder, 0o755);
    const logFolder = bench.path('stranger');
    fs.mkdirSync(logFolder);
    fs.chmodSync(logFolder, 0o777);
    const program = await buildProgram(
      bench,
      'stranger.mjs',
      `
          import { createProcessRunner } from './src/process/run-process.ts';
          const runner = createProcessRunner();
          const end = await runner.run({
            argv: [process.argv[2], '--reuid=0', '--regid=0', '--clear-groups', 'sleep', '600'], cwd: '/',
            env: { PATH: process.env.PATH }, stdin: { type: 'none' }, mask: process.argv.slice(4), timeoutMs: 200, graceMs: 50,
            signal: new AbortController().signal, onStart: (pid) => console.log(pid),
            stdout: { files: [process.argv[3] + '/out'], headBytes: 0, tailBytes: 0 },
            stderr: { files: [process.argv[3] + '/err'], headBytes: 0, tailBytes: 0 },
          });
          runner.close();
          console.log(JSON.stringify(end.ended));`,
    );
    const asNobody = [
      'setpriv',
      '--reuid=65534',
      '--regid=65534',
      '--clear-groups',
      process.execPath,
      program,
      setpriv,
      logFolder,
    ];
    for (const mask of [[], ['piped-because-of-this']]) {
      const end = await runProcess(request([...asNobody, ...mask]));
      if (end.type !== 'exited') throw new Error('not started');
      const [pid, ended] = end.stdout.head.toString().split('\n');
      expect(isAlive(Number(pid))).toBe(true);
      process.kill(Number(pid), 'SIGKILL');
      expect(ended).toBe('{"type":"timed-out","afterMs":200}');
    }
  });
});

describe('memory', () => {
  it('does not grow with two hundred megabytes of masked output', async () => {
    const program = await buildProgram(
      bench,
      'memory.mjs',
      `
          import { runProcess } from './src/process/run-process.ts';
          const before = process.memoryUsage.rss();
          let most = 0;
          const end = await runProcess({
            argv: ['head', '-c', '200000000', '/dev/zero'], cwd: '/', env: { PATH: process.env.PATH },
            stdin: { type: 'none' }, mask: ['a-secret-value', 'another-secret'], signal: new AbortController().signal,
            stdout: { files: [process.argv[2]], headBytes: 8192, tailBytes: 4096 },
            stderr: { files: [], headBytes: 0, tailBytes: 0 },
            onOutput() { most = Math.max(most, process.memoryUsage.rss()); },
          });
          console.log(JSON.stringify({ bytes: end.stdout.bytes, grownMb: (most - before) / 1e6 }));`,
    );
    const log = bench.path('large');
    const end = await runProcess(request([process.execPath, program, log]));
    if (end.type !== 'exited') throw new Error('not started');
    const seen = JSON.parse(end.stdout.head.toString()) as { bytes: number; grownMb: number };
    expect(seen.bytes).toBe(200_000_000);
    expect(fs.statSync(log).size).toBe(200_000_000);
    expect(seen.grownMb).toBeLessThan(120);
  });
});
