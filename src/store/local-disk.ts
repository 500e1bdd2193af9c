import fs from 'node:fs';
import { dirname } from 'node:path';
import { errnoOf } from './errno.ts';

/**
 * `statfs` numbers of Linux file systems that only one running system can have mounted, since two would destroy
 * them. File systems that can be shared (NFS, SMB, 9p, virtiofs, FUSE) or are stacked on another are not among them.
 */
const LOCAL: ReadonlySet<number> = new Set([
  0xef53, // ext2, ext3, ext4
  0x58465342, // xfs
  0x9123683e, // btrfs
  0xf2f52010, // f2fs
  0xca451a4e, // bcachefs
  0x2fc12fc1, // zfs
  0x01021994, // tmpfs
]);

/** Whether no other running system can work in the folder; false if unknown. A folder that does not exist yet is on the disk of its parent. */
export function isOnLocalDisk(folder: string): boolean {
  if (process.platform !== 'linux') return false;
  try {
    return LOCAL.has(fs.statfsSync(folder).type);
  } catch (cause) {
    return errnoOf(cause) === 'ENOENT' && dirname(folder) !== folder && isOnLocalDisk(dirname(folder));
  }
}
