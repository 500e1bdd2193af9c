import fs from 'node:fs';
import { afterAll, describe, expect, it } from 'vitest';
import { nativeIn } from '../../src/process/native.ts';
import { NativeSpawner } from '../../src/process/native-spawner.ts';
import { createProcessRunner } from '../../src/process/run-process.ts';
import { buildHelpers } from './build-helpers.ts';
import { bash, createBench, request } from './rig.ts';

const bench = createBench();
const helpers = await buildHelpers(bench);
const native = nativeIn(bench.folder);

let logs = 0;
const files = () => {
  logs += 1;
  return {
    stdout: { files: [bench.path(`logs/${logs}.stdout`)] },
    stderr: { files: [bench.path(`logs/${logs}.stderr`)] },
  };
};

describe.runIf(native() !== undefined)('processes started by the native part', () => {
  const runner = createProcessRunner({ native, helpers: Object.values(helpers) });
  afterAll(() => runner.close());
  const outputOf = async (script: string): Promise<string> => {
    const end = await runner.run(request(bash(script), files()));
    if (end.type !== 'exited') throw new Error(JSON.stringify(end.failure));
    return end.stdout.head.toString();
  };

  it('are children of this process as long as they run one after the other; the helper starts those beside them', async () => {
    for (let i = 0; i < 20; i += 1) expect(Number(await outputOf('echo $PPID'))).toBe(process.pid);
    let parents: readonly number[] = [];
    while (parents.every((parent) => parent === process.pid))
      parents = (await Promise.all(Array.from({ length: 8 }, () => outputOf('echo $PPID')))).map(Number);
    expect(new Set(parents).size).toBe(2);
    expect(Number(await outputOf('echo $PPID'))).toBe(process.pid);
  });

  it('leave no zombie even if they outlive their runner', async () => {
    const part = native();
    if (part === undefined) throw new Error('no native part');
    const spawner = new NativeSpawner(part);
    const listeners = process.listenerCount('SIGCHLD');
    const file = { path: '/dev/null', descriptor: fs.openSync('/dev/null', 'r+') };
    const started = spawner.start(
      {
        ...{ argv: ['sleep', '600'], cwd: bench.folder, env: { PATH: process.env['PATH'] ?? '' } },
        ...{ mark: '1', stdin: file, stdout: file, stderr: file },
      },
      file.descriptor,
    );
    if (started?.type !== 'started') throw new Error('not started');
    started.release();
    spawner.close();
    process.kill(started.pid, 'SIGKILL');
    expect(await started.exited).toEqual({ code: null, signal: 'SIGKILL' });
    expect([statOf(String(started.pid)), process.listenerCount('SIGCHLD')]).toEqual(['', listeners]);
    fs.closeSync(file.descriptor);
  });

  it('leave no zombie', async () => {
    expect(await outputOf('echo done')).toBe('done\n');
    const children = fs.readFileSync(`/proc/self/task/${process.pid}/children`, 'utf8').split(' ');
    expect(children.filter((pid) => pid !== '' && / Z /.test(statOf(pid)))).toEqual([]);
  });
});

function statOf(pid: string): string {
  try {
    return fs.readFileSync(`/proc/${pid}/stat`, 'utf8');
  } catch {
    return '';
  }
}
