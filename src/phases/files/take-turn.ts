/**
 * Waits for the lock of a document that hundreds of hooks may want at once. Trying to lock writes a file; a stat
 * costs almost nothing. So waiters poll with stat, and try to lock only once the lock is gone or so old that its owner
 * may be dead.
 */
import fs from 'node:fs';
import { error, ok, type Result } from '../../model/result.ts';
import { uptimeMs } from '../../model/uptime.ts';
import { acquireLock, type Held } from '../../store/lock.ts';

/** The limit for one owner; while owners change, waiting continues. */
const LONGEST_WAIT_MS = 30_000;
const SUSPICIOUS_MS = 3000;
const SHORTEST_PAUSE_MS = 4;
/** With many waiters one of them polls soon anyway, and every poll slows down the owner. */
const LONGEST_PAUSE_MS = 300;

/** Runs `action` with the lock held, then releases it. File system errors are thrown. */
export async function takeTurn<Value>(path: string, action: () => Value): Promise<Result<Value, Held>> {
  let owner = '';
  let since = uptimeMs();
  const patience = createPatience();
  for (;;) {
    const acquired = acquireLock(path);
    if (acquired.type === 'ok') {
      try {
        return ok(action());
      } finally {
        acquired.value.release();
      }
    }
    const { nonce } = acquired.error.owner;
    if (nonce !== owner) since = uptimeMs();
    else if (uptimeMs() - since > LONGEST_WAIT_MS) return error(acquired.error);
    owner = nonce;
    await untilWorthAsking(path, patience);
  }
}

async function untilWorthAsking(path: string, patience: () => Promise<void>): Promise<void> {
  let seen = '';
  let since = uptimeMs();
  for (;;) {
    await patience();
    const stat = fs.statSync(path, { throwIfNoEntry: false });
    if (stat === undefined) return;
    const now = `${stat.ino} ${stat.mtimeMs}`;
    if (now !== seen) since = uptimeMs();
    else if (uptimeMs() - since > SUSPICIOUS_MS) return;
    seen = now;
  }
}

/** Increasing delays. */
function createPatience(): () => Promise<void> {
  let longest = SHORTEST_PAUSE_MS;
  return () => {
    longest = Math.min(LONGEST_PAUSE_MS, longest * 1.4);
    const ms = SHORTEST_PAUSE_MS + Math.random() * longest;
    return new Promise((resolve) => setTimeout(resolve, ms));
  };
}
