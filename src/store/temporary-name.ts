/**
 * Names of files that stand beside another until they take its place. The name tells which process made it, so that one left behind by
 * a dead process is known from one that is being written:
 *
 *   .state.json.~1b9d6bcd-4711-8412345-a1b2c3d4.tmp      host, pid, start time, and a random part
 */
import fs from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { uniqueHex } from '../model/unique.ts';
import { errnoOf } from './errno.ts';
import { lastingPath } from './pinned-folder.ts';
import { isAlive, ownIdentity, type ProcessIdentity, processStartTime } from './process-identity.ts';

const TEMPORARY = /^\..+\.~(?<host>[0-9a-f]{8})-(?<pid>\d+)-(?<startTime>\w*)-[0-9a-f]{8}\.tmp$/;

/** Folders in which this process has cleared away what the dead left. */
const swept = new Set<string>();

/** The first one in a folder clears away what dead processes left there: whoever goes on with their work writes where they wrote. */
export function temporaryPath(path: string): string {
  const folder = dirname(path);
  const lasting = lastingPath(folder);
  if (!swept.has(lasting)) {
    swept.add(lasting);
    sweepIfThere(folder);
  }
  return `${folder}/.${basename(path)}.~${ownMaker()}-${uniqueHex(4)}.tmp`;
}

/** Whether a file is only on its way to another's place: it belongs to nobody's work. */
export function isTemporary(name: string): boolean {
  return TEMPORARY.test(name);
}

/** What is wrong with a folder is told to who writes into it, not here. */
export function sweepIfThere(folder: string): void {
  try {
    sweepTemporaries(folder);
  } catch (cause) {
    errnoOf(cause);
  }
}

/** Removes what dead processes of this host left in the folder; tells how many. */
export function sweepTemporaries(folder: string): number {
  let removed = 0;
  for (const name of fs.readdirSync(folder)) {
    if (!isAbandoned(name)) continue;
    fs.rmSync(join(folder, name), { recursive: true, force: true });
    removed += 1;
  }
  return removed;
}

function isAbandoned(name: string): boolean {
  const maker = name.endsWith('.tmp') ? TEMPORARY.exec(name)?.groups : undefined;
  const own = ownIdentity();
  if (maker === undefined || maker.host !== markOf(own)) return false;
  const pid = Number(maker.pid);
  if (pid === own.pid) return maker.startTime !== plain(own.startTime);
  const startTime = processStartTime(pid);
  return startTime === undefined
    ? !isAlive({ ...own, pid, startTime: '' })
    : plain(startTime) !== maker.startTime;
}

let maker: string | undefined;

/** The part of the name that tells of this process. */
function ownMaker(): string {
  const own = ownIdentity();
  maker ??= `${markOf(own)}-${own.pid}-${plain(own.startTime)}`;
  return maker;
}

/** One mark for one machine or container. FNV-1a tells a few apart, and needs no library to be loaded for every file that is written. */
function markOf({ host, pidSpace }: ProcessIdentity): string {
  let hash = 0x811c9dc5;
  for (const byte of Buffer.from(`${host} ${pidSpace ?? ''}`)) hash = Math.imul(hash ^ byte, 0x01000193);
  return (hash >>> 0).toString(16).padStart(8, '0');
}

function plain(startTime: string): string {
  return startTime.replace(/\W/g, '_');
}
