/**
 * Loaded into the program with `--require`: kills it with SIGKILL at an exact line of its journal. KILL_AT_LINE counts the lines this
 * process writes; KILL_MODE says whether the line is still written (`after`), not any more (`before`), or only half of it (`torn`).
 */
const fs = require('node:fs');

const { KILL_MODE: mode, KILL_AT_LINE: line } = process.env;
delete process.env.NODE_OPTIONS;
let left = Number(line);
const { writeSync } = fs;

fs.writeSync = (fd, bytes, offset, length, position) => {
  if (!isJournal(fd)) return writeSync(fd, bytes, offset, length, position);
  const part = bytes.subarray(offset ?? 0, (offset ?? 0) + (length ?? bytes.length));
  left -= part.filter((byte) => byte === 10).length;
  if (left > 0) return writeSync(fd, bytes, offset, length, position);
  if (mode === 'after') writeSync(fd, part);
  if (mode === 'torn') writeSync(fd, part.subarray(0, Math.floor(part.length / 2)));
  process.kill(process.pid, 'SIGKILL');
};

function isJournal(fd) {
  try {
    return fs.readlinkSync(`/proc/self/fd/${fd}`).endsWith('journal.jsonl');
  } catch {
    return false;
  }
}
