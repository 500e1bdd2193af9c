import fs from 'node:fs';
import { expect, it } from 'vitest';
import { runProcess } from '../../src/process/run-process.ts';
import { createBench, request } from './rig.ts';

const bench = createBench();

/** Blocks this process until a child has ended. Node does not know of it yet, unless it has ended before. */
function waitForEnd(pid: number): void {
  const stat = `/proc/${pid}/stat`;
  while (fs.existsSync(stat) && !/\) Z /.test(fs.readFileSync(stat, 'utf8')));
}

function block(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

it('what a process printed is read, even if this process was busy for longer than it waits for output', async () => {
  const go = bench.path('go');
  let pidOfPrinter = 0;
  const printer = runProcess(
    request(['sh', '-c', `while [ ! -e '${go}' ]; do sleep 0.01; done; echo printed`], {
      onStart: (pid) => {
        pidOfPrinter = pid;
      },
    }),
  );
  const other = runProcess(
    request(['sh', '-c', 'echo other'], {
      // The end of both children is noticed together, after this chunk, when nothing of the first has been read.
      onOutput() {
        if (pidOfPrinter === 0) throw new Error('it has not started');
        fs.writeFileSync(go, '');
        waitForEnd(pidOfPrinter);
        setImmediate(() => block(3000));
      },
      onStart: (pid) => setImmediate(() => waitForEnd(pid)),
    }),
  );
  expect(await other).toMatchObject({ type: 'exited', exitCode: 0 });
  const end = await printer;
  expect(end.type === 'exited' && end.stdout.head.toString()).toBe('printed\n');
}, 30_000);
