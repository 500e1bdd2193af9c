import fs from 'node:fs';
import type { Effect } from '../engine/durable.ts';
import { closeFile } from '../model/close-file.ts';
import { openInside } from '../store/safe-path.ts';
import type { StampFilesInput, StampFilesOutput } from './contracts.ts';

/** The time of a file may be that of the last tick of the kernel's clock, so two writes within this time can look like one. */
const TICK_MS = 50;

/** Tells later whether files were written since: a write, a rename or a copy changes the stamp, even with the same content. */
export const stampFiles: Effect<StampFilesInput, StampFilesOutput> = async ({ paths }, { run }) => ({
  stamps: paths.map((path) => stampOf(run.workspace, path)),
});

/** Null if the file does not exist, cannot be read, or was changed so recently that its next change could not be seen. */
function stampOf(workspace: string, path: string): string | null {
  const opened = openInside(workspace, path, { to: 'read' });
  if (opened.type === 'error') return null;
  try {
    const { dev, ino, size, mtimeNs, ctimeNs, ctimeMs } = fs.fstatSync(opened.value.fd, { bigint: true });
    const isSettled = Math.abs(Date.now() - Number(ctimeMs)) > TICK_MS;
    return isSettled ? [dev, ino, size, mtimeNs, ctimeNs].join(' ') : null;
  } catch {
    return null;
  } finally {
    closeFile(opened.value.fd);
  }
}
