/**
 * Read in before the program: its wall clock is the true one plus what a file says, in ms, and follows the file when that changes. Timers and the
 * clock that is never set are left as they are, as they are when a real clock is set. CLOCK is JSON: {"file": file}
 */
const fs = require('node:fs');
const { takeOrder } = require('./disk-operations.cjs');

const { readFileSync } = fs;
const order = takeOrder('CLOCK');

if (order !== undefined) {
  const TrueDate = Date;
  const LOOK_EVERY_NS = 10_000_000n;
  let offset = 0;
  let lookedAt = 0n;
  const now = () => {
    const tick = process.hrtime.bigint();
    if (tick - lookedAt > LOOK_EVERY_NS) {
      lookedAt = tick;
      const told = Number(readFileSync(order.file, 'utf8'));
      // Half written: the next look has it.
      if (Number.isFinite(told)) offset = told;
    }
    return TrueDate.now() + offset;
  };
  globalThis.Date = class extends TrueDate {
    constructor(...given) {
      if (given.length === 0) super(now());
      else super(...given);
    }
    static now() {
      return now();
    }
  };
}
