/**
 * Names of files that are written beside another until they replace it. The name identifies the process that made it, so that one left
 * behind by a dead process can be distinguished from one that is being written:
 *
 *   .state.json.~1b9d6bcd-0c4f1a2e-4711-8412345-a1b2c3d4.tmp      place, boot, pid, start time, and a random part
 *
 * The place identifies the machine, its pid space and the kind of its disk: everything that I5 of `process-life.ts` compares.
 */
import fs from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fnv1a } from '../model/fnv1a.ts';
import { uniqueHex } from '../model/unique.ts';
import { errnoOf } from './errno.ts';
import { isOnLocalDisk } from './local-disk.ts';
import { lastingPath } from './pinned-folder.ts';
import { lookAt, ownIdentity } from './process-identity.ts';

const TEMPORARY =
  /^\..+\.~(?<place>[0-9a-f]{8})-(?<boot>[0-9a-f]{8})-(?<pid>\d+)-(?<startTime>\w*)-[0-9a-f]{8}\.tmp$/;

/** The same as a pattern of git. */
export const TEMPORARY_GLOB = '**/.*.~????????-????????-*-*-????????.tmp';

/** Marks of the folders in which this process has removed leftovers of dead processes. */
const places = new Map<string, string>();

/** The first call in a folder removes leftovers of dead processes: a resumed run writes where the killed one did. */
export function temporaryPath(path: string): string {
  const folder = dirname(path);
  const lasting = lastingPath(folder);
  let place = places.get(lasting);
  if (place === undefined) {
    place = placeOf(folder);
    places.set(lasting, place);
    sweepIfThere(folder);
  }
  return `${folder}/.${basename(path)}.~${place}-${ownMaker()}-${uniqueHex(4)}.tmp`;
}

/** Whether a file is temporary: it is not part of any result. */
export function isTemporary(name: string): boolean {
  return TEMPORARY.test(name);
}

/** Ignores problems with the folder: writing into it reports them. */
export function sweepIfThere(folder: string): void {
  try {
    sweepTemporaries(folder);
  } catch (cause) {
    errnoOf(cause);
  }
}

/** Removes leftovers of dead processes from the folder; returns their number. */
export function sweepTemporaries(folder: string): number {
  let removed = 0;
  let place: string | undefined;
  for (const name of fs.readdirSync(folder)) {
    const maker = name.endsWith('.tmp') ? TEMPORARY.exec(name)?.groups : undefined;
    if (maker === undefined) continue;
    place ??= placeOf(folder);
    if (maker.place !== place || !isAbandoned(folder, maker as unknown as Maker)) continue;
    fs.rmSync(join(folder, name), { recursive: true, force: true });
    removed += 1;
  }
  return removed;
}

interface Maker {
  readonly boot: string;
  readonly pid: string;
  readonly startTime: string;
}

/** By the rules of `process-life.ts`, for a process that worked in this place. */
function isAbandoned(folder: string, { boot, pid, startTime }: Maker): boolean {
  const own = ownIdentity();
  // I6
  if (own.bootId === '' || own.pidSpace === undefined) return false;
  // I5
  const isCertain = boot === fnv1a(own.bootId) || (own.machineId !== undefined && isOnLocalDisk(folder));
  if (!isCertain) return false;
  // I3
  const seen = lookAt(Number(pid));
  return (
    seen.type === 'gone' || (seen.type === 'there' && startTime !== '' && plain(seen.startTime) !== startTime)
  );
}

let maker: string | undefined;

/** The part of the name that identifies this process. */
function ownMaker(): string {
  const { bootId, pid, startTime } = ownIdentity();
  maker ??= `${fnv1a(bootId)}-${pid}-${plain(startTime)}`;
  return maker;
}

function placeOf(folder: string): string {
  const { machineId, pidSpace } = ownIdentity();
  return fnv1a(`${machineId} ${pidSpace} ${isOnLocalDisk(folder)}`);
}

function plain(startTime: string): string {
  return startTime.replace(/\W/g, '_');
}
