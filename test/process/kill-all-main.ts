/** Runs one process, and exits at once without stopping it in an orderly way. */
import fs from 'node:fs';
import { constants } from 'node:os';
import { join } from 'node:path';
import { nativeIn } from '../../src/process/native.ts';
import { createProcessRunner } from '../../src/process/run-process.ts';
import { killAllNow } from '../../src/process/running-processes.ts';

const [kind = '', folder = '', helper = '', ...argv] = process.argv.slice(2);
const controller = new AbortController();
const native = nativeIn(folder);
/** Leaves all starts to the helper. */
const stampsOnly = () => {
  const part = native();
  return part === undefined ? undefined : { ...part, start: () => -constants.errno.ENOSYS };
};
const runner = createProcessRunner(
  kind === 'helped' ? { helpers: [JSON.parse(helper)], native: stampsOnly } : { native },
);

let made = 0;
function run(program: readonly string[]) {
  const stem = join(folder, `${kind}-${++made}`);
  const output = (stream: string) => ({ files: [`${stem}.${stream}`], headBytes: 100, tailBytes: 100 });
  return runner.run({
    argv: program,
    cwd: folder,
    env: { PATH: process.env['PATH'] ?? '' },
    stdin: { type: 'none' },
    stdout: output('stdout'),
    stderr: output('stderr'),
    mask: [],
    signal: controller.signal,
    graceMs: 60_000,
    // Watched output comes through pipes.
    ...(kind === 'piped' || kind === 'aborted' ? { onOutput() {} } : {}),
  });
}

process.on('message', (message) => {
  if (message === 'abort') controller.abort();
  if (message !== 'end') return;
  killAllNow();
  process.exit(130);
});

for (;;) {
  if (kind !== 'helped') break;
  const end = await run(['bash', '-c', 'echo $PPID']);
  const parent = end.type === 'exited' ? end.stdout.head.toString() : '';
  if (Number(parent) === process.pid) continue;
  fs.writeFileSync(join(folder, 'helped.parent'), parent);
  break;
}
await run(argv);
