// Acquires the lock named on the command line on request, and reports the result.
import { createInterface } from 'node:readline';
import { acquireLock, type Lock } from '../../src/store/lock.ts';

let lock: Lock | undefined;
const [path = ''] = process.argv.slice(2);

process.stdout.write('ready\n');
for await (const order of createInterface({ input: process.stdin })) {
  if (order === 'acquire') {
    const acquired = acquireLock(path);
    if (acquired.type === 'ok') lock = acquired.value;
    process.stdout.write(
      acquired.type === 'ok'
        ? `won ${acquired.value.tookOver?.pid ?? 'free'}\n`
        : `held ${acquired.error.owner.pid}\n`,
    );
  }
  if (order === 'release') {
    lock?.release();
    process.stdout.write('released\n');
  }
}
