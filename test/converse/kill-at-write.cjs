/**
 * Read in before the program (`NODE_OPTIONS=--require`): counts the calls that change the disk, and ends the process with SIGKILL before
 * the one that `KILL_AT` numbers. With `COUNT_WRITES` it writes down how many there were.
 */
const fs = require('node:fs');

const isProgram = /orchestrate\.js$/.test(process.argv[1] ?? '');
const killAt = Number(process.env.KILL_AT ?? 0);
const countFile = process.env.COUNT_WRITES;
// Nobody that the program starts is counted or killed.
for (const name of ['NODE_OPTIONS', 'KILL_AT', 'COUNT_WRITES']) delete process.env[name];

if (isProgram) {
  let count = 0;
  const writeFileSync = fs.writeFileSync;
  const before = () => {
    count += 1;
    if (count === killAt) {
      process.kill(process.pid, 'SIGKILL');
      // The signal may take a moment; nothing more is done until it comes.
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
    }
  };
  const NAMES = [
    'writeFileSync',
    'renameSync',
    'linkSync',
    'rmSync',
    'unlinkSync',
    'ftruncateSync',
    'mkdirSync',
    'rmdirSync',
    'utimesSync',
  ];
  for (const name of NAMES) {
    const original = fs[name];
    fs[name] = (...given) => {
      before();
      return original(...given);
    };
  }
  const { writeSync, openSync } = fs;
  fs.writeSync = (fd, ...given) => {
    if (fd > 2) before();
    return writeSync(fd, ...given);
  };
  fs.openSync = (path, flags, ...given) => {
    const makes =
      typeof flags === 'number' ? (flags & fs.constants.O_CREAT) !== 0 : /[wax]/.test(flags ?? 'r');
    if (makes) before();
    return openSync(path, flags, ...given);
  };
  if (countFile !== undefined) process.on('exit', () => writeFileSync(countFile, String(count)));
}
