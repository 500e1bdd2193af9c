import fs from 'node:fs';
import type { Effect } from '../engine/durable.ts';
import { closeFile } from '../model/close-file.ts';
import { digestOfFile } from '../store/digest.ts';
import { openInside } from '../store/safe-path.ts';
import type { StampFilesInput, StampFilesOutput } from './contracts.ts';

/**
 * Tells later whether files were written since: a write, a rename or a copy changes the stamp, even with the same content.
 *
 * The time of a file is that of the last tick of the kernel's clock, so two writes within one tick can look like one. With `settle`, it waits
 * until the tick is over; then the next change has another time. The digest covers disks whose clock differs from ours.
 */
export const stampFiles: Effect<StampFilesInput, StampFilesOutput> = async (
  { paths, settle },
  { run, signal },
) => {
  const stamps: (string | null)[] = [];
  for (const path of paths) {
    let stamp = stampOf(run.workspace, path);
    for (let round = 0; settle === true && round < MOST_ROUNDS && stamp !== undefined; round += 1) {
      if (stamp.settlesInMs === 0) break;
      await pause(stamp.settlesInMs, signal);
      stamp = stampOf(run.workspace, path);
    }
    stamps.push(stamp?.text ?? null);
  }
  return { stamps };
};

/** A file that something else keeps writing never settles. */
const MOST_ROUNDS = 3;

interface Stamp {
  readonly text: string;
  /** How long the next change may look like the last one; at most `TICK_MS` or `COARSE_MS`. */
  readonly settlesInMs: number;
}

/** Longer than the tick of any kernel. */
const TICK_MS = 50;

/** Some disks, such as FAT, keep whole seconds, or every other. */
const COARSE_MS = 2000;
const SECOND_NS = 1_000_000_000n;

/** A file larger than this is compared by its times. */
const MAX_DIGEST_BYTES = 1024 * 1024;

/** Undefined if the file does not exist or cannot be read. */
function stampOf(workspace: string, path: string): Stamp | undefined {
  const opened = openInside(workspace, path, { to: 'read' });
  if (opened.type === 'error') return undefined;
  const { fd } = opened.value;
  try {
    const { dev, ino, size, mtimeNs, ctimeNs, ctimeMs } = fs.fstatSync(fd, { bigint: true });
    const digest = size > MAX_DIGEST_BYTES ? '' : digestOfFile(fd);
    const granularityMs = ctimeNs % SECOND_NS === 0n ? COARSE_MS : TICK_MS;
    const ageMs = Date.now() - Number(ctimeMs);
    return {
      text: [dev, ino, size, mtimeNs, ctimeNs, digest].join(' '),
      settlesInMs: Math.abs(ageMs) > granularityMs ? 0 : granularityMs + 1 - ageMs,
    };
  } catch {
    return undefined;
  } finally {
    closeFile(fd);
  }
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  const { setTimeout: delay } = process.getBuiltinModule('node:timers/promises');
  await delay(ms, undefined, { signal }).catch(() => undefined);
  signal.throwIfAborted();
}
