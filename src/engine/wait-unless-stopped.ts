import fs from 'node:fs';
import { dirname } from 'node:path';
import { FolderWatch } from '../store/folder-watch.ts';
import { type Wait, waitUntil } from './wait-until.ts';

/** How often it looks where the system has no watches. */
const POLL_MS = 1000;

/** Waits until its time has come or the file is there. True: the file came first. */
export async function waitUnlessStopped(
  wait: Wait,
  signal: AbortSignal,
  stopFile: string | undefined,
): Promise<boolean> {
  if (stopFile === undefined) {
    await waitUntil(wait, signal);
    return false;
  }
  const stop = new AbortController();
  const look = (): void => {
    if (fs.existsSync(stopFile)) stop.abort();
  };
  const watch = new FolderWatch(look);
  watch.add([dirname(stopFile)]);
  const poll = setInterval(look, POLL_MS);
  look();
  try {
    await waitUntil(wait, AbortSignal.any([signal, stop.signal]));
    return false;
  } catch (reason) {
    signal.throwIfAborted();
    if (stop.signal.aborted) return true;
    throw reason;
  } finally {
    clearInterval(poll);
    watch.close();
  }
}
