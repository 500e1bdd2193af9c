import fs from 'node:fs';
import { dirname } from 'node:path';
import { closeFile } from '../model/close-file.ts';
import { defined } from '../model/defined.ts';
import { isoTime } from '../model/iso-time.ts';
import { isJsonObject, parseJson } from '../model/json.ts';
import { errnoOf } from './errno.ts';
import { openPlain, readPlainText } from './plain-file.ts';
import type { ProcessIdentity } from './process-identity.ts';
import { type Life, lifeOf } from './process-life.ts';

/** The owner of a lock. The nonce is new for every acquire, so it identifies one holding of the lock and is never reused. */
export interface LockOwner extends ProcessIdentity {
  readonly nonce: string;
  /** ISO 8601. */
  readonly acquiredAt: string;
  /** The lock is on a disk that only one running system at a time can have mounted. */
  readonly disk?: 'local';
  /** Only for locks of runs whose owner a database decides. */
  readonly run?: string;
}

/** A lock, or a claim on one, as read from the disk. */
export interface LockFile {
  readonly path: string;
  /** The owner's, or one derived from the file itself if it cannot be read. */
  readonly nonce: string;
  /** Undefined if the file is damaged, which only a power loss can cause: a file is complete before it gets its name. */
  readonly owner?: LockOwner;
  /** It was never a lock: something else uses the name. */
  readonly isForeign?: true;
  /** ISO 8601: the owner's last heartbeat, or when the lock was created. */
  readonly heartbeatAt: string;
}

export function readLock(path: string): LockFile | undefined {
  let fd: number;
  try {
    fd = openPlain(path);
  } catch (cause) {
    const code = errnoOf(cause);
    if (code === 'ENOENT') return undefined;
    // A folder, a pipe, a socket.
    if (code !== 'EISDIR' && code !== 'EFTYPE') throw cause;
    return { path, nonce: 'foreign', heartbeatAt: isoTime(), isForeign: true };
  }
  try {
    const { ino, mtimeNs, mtime } = fs.fstatSync(fd, { bigint: true });
    const heartbeatAt = isoTime(mtime);
    const text = fs.readFileSync(fd, 'utf8');
    const owner = parseOwner(text);
    if (owner !== undefined) return { path, nonce: owner.nonce, owner, heartbeatAt };
    const damaged = { path, nonce: `damaged-${ino}-${mtimeNs}`, heartbeatAt };
    return isLeftByPowerLoss(text) ? damaged : { ...damaged, isForeign: true };
  } finally {
    closeFile(fd);
  }
}

/** Whether the lock is still the one that was acquired with this nonce. */
export function hasNonce(path: string, nonce: string): boolean {
  try {
    return readPlainText(path).includes(nonce);
  } catch (cause) {
    if (errnoOf(cause) === 'ENOENT') return false;
    throw cause;
  }
}

/** A lock whose owner is alive, or may be. */
export type HeldLock = LockFile & { readonly owner: LockOwner };

export function isHeld(lock: LockFile): lock is HeldLock {
  return lock.owner !== undefined && lifeOfOwner(lock as HeldLock).type !== 'dead';
}

export function lifeOfOwner({ path, owner, heartbeatAt }: HeldLock): Life {
  return lifeOf(owner, {
    folder: dirname(path),
    lastSignAt: Date.parse(heartbeatAt),
    ...defined({ disk: owner.disk }),
  });
}

const BEGINNING = '{"pid":';

/** Empty, zeros, or the start of a lock. */
function isLeftByPowerLoss(text: string): boolean {
  const left = text.replace(/\0+$/, '');
  return left.startsWith(BEGINNING) || BEGINNING.startsWith(left);
}

function parseOwner(text: string): LockOwner | undefined {
  let value: unknown;
  try {
    value = parseJson(text);
  } catch {
    return undefined;
  }
  if (!isJsonObject(value)) return undefined;
  const { pid, startTime, host, bootId, nonce, acquiredAt } = value;
  const whole =
    Number.isSafeInteger(pid) &&
    typeof startTime === 'string' &&
    typeof host === 'string' &&
    typeof bootId === 'string' &&
    typeof nonce === 'string' &&
    /^[0-9a-f]{32}$/.test(nonce) &&
    typeof acquiredAt === 'string';
  return whole ? (value as unknown as LockOwner) : undefined;
}
