/**
 * One process at a time (J5). A lock is one file, written under another name and then linked to its own, which fails if the name
 * is taken. It is free if there is no file, held while its owner lives, and otherwise inherited:
 *
 *   lock                      owner D, dead
 *   lock.takeover.<D>         the heir of D: H1 — also dead, before it could finish
 *   lock.takeover.<H1>        the heir of H1: H2 — alive; only H2 may replace D
 *
 * L1 A nonce identifies one acquire. It is written to the lock or to a ticket only by its own process, so the nonce of a dead
 *    process that is not in the lock never gets into it.
 * L2 A ticket is linked, so each nonce has one heir at a time. Following the tickets from any dead owner ends at the same heir for
 *    every process. Only the last heir replaces the lock, and only after it has its ticket and has then read in the lock the nonce of
 *    one of the dead owners it follows.
 * L3 A ticket is removed only when the lock is known to contain none of the dead owners that lead to it: by the heir after it has replaced
 *    the lock, or by a late heir that gives it back. By L1 that stays true, so a new ticket for such a nonce leads to nothing.
 * L4 From L2 and L3: while a dead owner is in the lock, its tickets exist and one living heir is at their end. So two processes
 *    cannot both replace the same dead owner; and no process replaces a living one.
 * L5 An heir that dies before it replaces the lock leaves a ticket that is inherited in turn; one that dies afterwards is a dead owner.
 * L6 A lock or ticket that cannot be read has no living owner, since a file gets its name only when complete. Its inode and modification
 *    time serve as its nonce.
 * L7 A lock that its owner could not remove still counts as released: this process treats its nonce as dead. Other processes
 *    see a living owner until the process ends. A failed clean-up never undoes an acquire.
 *
 * L8 A file that was never a lock is foreign: it is neither taken over nor removed, and acquiring the lock is refused.
 * L9 A lock may belong to a run whose owner a database decides. The run's owner treats a lock of this same run as that of a dead process: the
 *    database has given its owner up, on whatever machine that was.
 *
 * `process-life.ts` decides whether an owner is dead. An owner in doubt is never treated as dead, whatever its age: `Held` reports
 * the age and the reason, the user decides. Needs a file system with hard links. Its path contains no link (F1 of `plain-file.ts`). Throws file
 * system errors.
 */

import fs from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { defined } from '../model/defined.ts';
import { isoTime } from '../model/iso-time.ts';
import { error, ok, type Result } from '../model/result.ts';
import { uniqueHex } from '../model/unique.ts';
import { uptimeMs } from '../model/uptime.ts';
import { errnoOf, refusal } from './errno.ts';
import { isOnLocalDisk } from './local-disk.ts';
import {
  type HeldLock,
  hasNonce,
  isHeld,
  type LockFile,
  type LockOwner,
  lifeOfOwner,
  readLock,
} from './lock-file.ts';
import { inPlainFolder } from './plain-folder.ts';
import { ownIdentity } from './process-identity.ts';
import type { Doubt } from './process-life.ts';
import { clearAway, removeFile } from './remove-file.ts';
import { sweepIfThere, temporaryPath } from './temporary-name.ts';
import { writeNew } from './write-whole.ts';

export { type LockFile, type LockOwner, readLock } from './lock-file.ts';
export { type ProcessIdentity, processStartTime } from './process-identity.ts';

/** Another process has it, and is alive or may be. */
export interface Held {
  readonly type: 'held';
  readonly path: string;
  readonly owner: LockOwner;
  /** Undefined: it is alive, and its pid refers to this machine and pid space. */
  readonly doubt?: Doubt;
  /** ISO 8601: the owner's last heartbeat; for an owner without one, when it took the lock. */
  readonly heartbeatAt: string;
}

/** For locks that are held longer than a moment. */
export const HEARTBEAT_MS = 5000;

export interface LockOptions {
  /** Interval of the heartbeat, for processes that cannot see the owner itself. */
  readonly heartbeatMs?: number;
  /** L9: the run that it belongs to, if a database says which process carries that out. */
  readonly run?: string | undefined;
}

export function acquireLock(path: string, options: LockOptions = {}): Result<Lock, Held> {
  const owner: LockOwner = {
    ...ownIdentity(),
    nonce: uniqueHex(16),
    acquiredAt: isoTime(),
    ...(isOnLocalDisk(dirname(path)) ? { disk: 'local' } : {}),
    ...defined({ run: options.run }),
  };
  return inPlainFolder(dirname(path), (folder) => {
    const pinned = `${folder.path}/${basename(path)}`;
    const temporary = `${folder.path}/${basename(temporaryPath(path))}`;
    writeNew(temporary, `${JSON.stringify(owner)}\n`, 0o600);
    try {
      for (;;) {
        const attempt = attemptToAcquire(pinned, temporary, options.run);
        if (attempt.type === 'held') return error({ ...attempt, path });
        if (attempt.type === 'won')
          return ok(new Lock(path, owner, { ...options, tookOver: attempt.tookOver }));
      }
    } finally {
      // L7
      clearAway(temporary);
    }
  });
}

/** Removes the locks of dead owners in a folder: each is taken over and released. */
export function sweepLocks(folder: string): void {
  if (!fs.existsSync(folder)) return;
  for (const name of fs.readdirSync(folder).filter((one) => one.endsWith('.lock'))) {
    const path = join(folder, name);
    if (!isLeftBehind(path)) continue;
    const taken = acquireLock(path);
    if (taken.type === 'ok') taken.value.release();
  }
}

/** The holder, without acquiring the lock; undefined if it is free or its owner is dead. */
export function heldBy(path: string): Held | undefined {
  const current = readLock(path);
  return current !== undefined && isHeld(current) ? held(path, current) : undefined;
}

/** Whether there is a lock whose owner is dead. */
export function isLeftBehind(path: string): boolean {
  const current = fs.existsSync(path) ? readLock(path) : undefined;
  return current !== undefined && current.isForeign !== true && !isHeld(current);
}

/** L7: nonces whose lock is still there. */
const givenBack = new Set<string>();

export class Lock {
  #path: string;
  readonly owner: LockOwner;
  /** The dead owner that this one replaced. */
  readonly tookOver: LockOwner | undefined;
  readonly #heartbeat: NodeJS.Timeout | undefined;
  #released = false;

  constructor(
    path: string,
    owner: LockOwner,
    options: LockOptions & { readonly tookOver: LockOwner | undefined },
  ) {
    this.#path = path;
    this.owner = owner;
    this.tookOver = options.tookOver;
    if (options.heartbeatMs !== undefined) {
      this.#heartbeat = setInterval(() => this.#beat(), options.heartbeatMs).unref();
    }
  }

  get path(): string {
    return this.#path;
  }

  /** Its folder was renamed. */
  movedTo(path: string): void {
    this.#path = path;
  }

  /** Removes the lock if it is still this one. */
  release(): void {
    if (this.#released) return;
    this.#released = true;
    if (this.#heartbeat !== undefined) clearInterval(this.#heartbeat);
    givenBack.add(this.owner.nonce);
    if (hasNonce(this.path, this.owner.nonce)) removeFile(this.path);
    givenBack.delete(this.owner.nonce);
  }

  #beat(): void {
    const now = new Date();
    try {
      if (hasNonce(this.path, this.owner.nonce)) fs.utimesSync(this.path, now, now);
    } catch {
      // A heartbeat that cannot be written is missing: readers see its age.
    }
  }
}

export interface WaitOptions extends LockOptions {
  /** How long to wait for one owner; default: 10 s. If the lock changes hands, the wait starts again. */
  readonly waitMs?: number;
  readonly signal?: AbortSignal;
}

/** Waits for the lock, runs `action`, and releases it. On abort throws the signal's reason. */
export async function withLock<Value>(
  path: string,
  options: WaitOptions,
  action: () => Value | Promise<Value>,
): Promise<Result<Value, Held>> {
  let awaited: string | undefined;
  let giveUpAt = 0;
  for (let pauseMs = 1; ; pauseMs = Math.min(pauseMs * 2, 50)) {
    options.signal?.throwIfAborted();
    const acquired = acquireLock(path, options);
    if (acquired.type === 'ok') {
      try {
        return ok(await action());
      } finally {
        acquired.value.release();
      }
    }
    const { nonce } = acquired.error.owner;
    if (nonce !== awaited) giveUpAt = uptimeMs() + (options.waitMs ?? 10_000);
    awaited = nonce;
    if (uptimeMs() >= giveUpAt) return acquired;
    await pause(pauseMs * (0.5 + Math.random()), options.signal);
  }
}

async function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  try {
    // Loaded only when waiting.
    const { setTimeout: delay } = process.getBuiltinModule('node:timers/promises');
    await delay(ms, undefined, signal === undefined ? {} : { signal });
  } catch (cause) {
    signal?.throwIfAborted();
    throw cause;
  }
}

type Attempt =
  | { readonly type: 'won'; readonly tookOver: LockOwner | undefined }
  | Held
  | { readonly type: 'again' };

const AGAIN: Attempt = { type: 'again' };

function attemptToAcquire(path: string, temporary: string, run: string | undefined): Attempt {
  if (linkIfFree(temporary, path)) {
    return { type: 'won', tookOver: undefined };
  }
  const current = readLock(path);
  if (current === undefined) return AGAIN;
  // L8
  if (current.isForeign === true) throw refusal('ENOTLOCK', path);
  const isTaken = isHeld(current) && !givenBack.has(current.nonce) && !isOfRun(current, run);
  return isTaken ? held(path, current) : inherit(path, temporary, current, run);
}

/** L9 */
function isOfRun({ owner }: LockFile, run: string | undefined): boolean {
  return run !== undefined && owner?.run === run;
}

function inherit(path: string, temporary: string, deadOwner: LockFile, run: string | undefined): Attempt {
  const dead = new Set<string>();
  let last = deadOwner;
  for (;;) {
    dead.add(last.nonce);
    if (linkIfFree(temporary, ticketPath(path, last.nonce))) break;
    const heir = readLock(ticketPath(path, last.nonce));
    if (heir === undefined) return AGAIN;
    if (isHeld(heir) && !isOfRun(heir, run)) return holdsOneOf(path, dead) ? held(path, heir) : AGAIN;
    last = heir;
  }
  const replaced = readLock(path);
  if (replaced === undefined || !dead.has(replaced.nonce)) {
    removeFile(ticketPath(path, last.nonce));
    return AGAIN;
  }
  fs.renameSync(temporary, path);
  // L7
  removeTickets(path);
  sweepIfThere(dirname(path));
  return { type: 'won', tookOver: replaced.owner };
}

function holdsOneOf(path: string, nonces: ReadonlySet<string>): boolean {
  const current = readLock(path);
  return current !== undefined && nonces.has(current.nonce);
}

function held(path: string, by: HeldLock): Held {
  const life = lifeOfOwner(by);
  const doubt = life.type === 'unknown' ? { doubt: life.why } : {};
  return { type: 'held', path, owner: by.owner, heartbeatAt: by.heartbeatAt, ...doubt };
}

/** Removes all tickets: with a living owner in the lock, none leads to it (L3). That includes those of owners that died here. */
function removeTickets(path: string): void {
  const folder = dirname(path);
  const prefix = `${basename(path)}.takeover.`;
  for (const name of fs.readdirSync(folder)) {
    if (name.startsWith(prefix) && NONCE.test(name.slice(prefix.length))) clearAway(join(folder, name));
  }
}

const NONCE = /^(?:[0-9a-f]{32}|damaged-\d+-\d+)$/;

function ticketPath(path: string, nonce: string): string {
  return `${path}.takeover.${nonce}`;
}

function linkIfFree(from: string, to: string): boolean {
  try {
    fs.linkSync(from, to);
    return true;
  } catch (cause) {
    if (errnoOf(cause) === 'EEXIST') return false;
    throw cause;
  }
}
