/**
 * Loaded before the program: kills it with SIGKILL at one disk operation. KILL_AT is JSON:
 *
 *   {"when": "before" | "after" | "torn", "name": "renameSync", "kind": "write", "file": "journal.jsonl", "number": 17}
 *
 * `name`, `kind` and `file` (the end of its path) select the operations that count; default: all. Operation `number` is
 * not done (`before`), done (`after`), or, for a write, half done (`torn`). With {"trace": file} it records every operation done, one JSON line each.
 */
const fs = require('node:fs');
const { takeOrder, watchDisk } = require('./disk-operations.cjs');

const { writeSync, openSync } = fs;
const order = takeOrder('KILL_AT');

if (order !== undefined) {
  const { when, name, kind, file, number, trace } = order;
  const log = trace === undefined ? undefined : openSync(trace, 'a');
  const counts = (operation) =>
    (name === undefined || operation.name === name) &&
    (kind === undefined || operation.kind === kind) &&
    (file === undefined || operation.path.endsWith(file));
  let left = number ?? 0;
  let last = false;
  watchDisk({
    before(operation) {
      if (!counts(operation)) return undefined;
      left -= 1;
      if (left !== 0) return undefined;
      if (when === 'before') die();
      last = true;
      return when === 'torn' && operation.kind === 'write'
        ? { limit: operation.bytes.length >> 1 }
        : undefined;
    },
    after(operation) {
      if (log !== undefined) {
        const { bytes, ...told } = operation;
        const size = bytes === undefined ? {} : { size: bytes.length };
        writeSync(log, `${JSON.stringify({ ...told, ...size })}\n`);
      }
      if (last && counts(operation)) die();
    },
  });
}

function die() {
  process.kill(process.pid, 'SIGKILL');
  // The signal may take a moment; nothing more happens until it arrives.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
}
