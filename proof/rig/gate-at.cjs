/**
 * Loaded before the program: holds it at the first disk operation of a kind until a file exists, so that many processes reach it at the
 * same moment. GATE_AT is JSON:
 *
 *   {"kind": "link", "file": "/lock", "gate": file, "ready": folder, "dieAfter": 5}
 *
 * `file` is the end of the path that is created. At the gate it leaves a file named by its pid in `ready`. With `dieAfter` it kills itself with
 * SIGKILL before the operation that comes this many after the gate.
 */
const fs = require('node:fs');
const path = require('node:path');
const { takeOrder, watchDisk } = require('./disk-operations.cjs');

const { writeFileSync, existsSync } = fs;
const order = takeOrder('GATE_AT');

if (order !== undefined) {
  const { kind, file, gate, ready, dieAfter } = order;
  let passed = false;
  let left = dieAfter ?? Number.POSITIVE_INFINITY;
  watchDisk({
    before(operation) {
      if (passed) {
        left -= 1;
        if (left <= 0) die();
        return undefined;
      }
      if (operation.kind !== kind || !(operation.to ?? operation.path).endsWith(file)) return undefined;
      passed = true;
      writeFileSync(path.join(ready, String(process.pid)), '');
      while (!existsSync(gate)) pause(1);
      return undefined;
    },
  });
}

function die() {
  process.kill(process.pid, 'SIGKILL');
  pause();
}

function pause(ms) {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}
