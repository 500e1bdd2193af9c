/** A disk of its own, whose power is cut: what is kept is what the file system had written to its device by then. */
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';

const SIZE = 48 * 1024 * 1024;
/** It writes only what is synced, and not by itself every few seconds. */
const OPTIONS = 'loop,commit=600';

export interface CutDisk {
  /** Where it is mounted. */
  readonly folder: string;
  /** Writes everything that is there to the device. */
  settle(): void;
  /** The commands of a shell that cut the power: a copy of the device as it is. */
  readonly cut: string;
  /** Mounts what is left after the cut, in the same place. */
  restart(): void;
  remove(): void;
}

/** Undefined if disks cannot be mounted here. */
export function createDisk(below: string): CutDisk | undefined {
  const image = path.join(below, 'image');
  const left = path.join(below, 'left');
  const folder = path.join(below, 'disk');
  fs.mkdirSync(folder);
  fs.writeFileSync(image, '');
  fs.truncateSync(image, SIZE);
  if (!does('mkfs.ext4', '-q', '-F', image) || !mounts(image, folder)) return undefined;
  return {
    folder,
    settle: () => void does('sync', '--file-system', folder),
    cut: `cp --sparse=always "${image}" "${left}"; `,
    restart() {
      unmount(folder);
      if (!mounts(left, folder)) throw new Error('cannot mount what was left');
    },
    remove: () => unmount(folder),
  };
}

function mounts(image: string, folder: string): boolean {
  return does('mount', '-o', OPTIONS, image, folder);
}

function unmount(folder: string): void {
  if (!does('umount', folder)) does('umount', '-l', folder);
}

function does(program: string, ...args: readonly string[]): boolean {
  return spawnSync(program, args).status === 0;
}
