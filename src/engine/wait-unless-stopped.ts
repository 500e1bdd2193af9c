import fs from 'node:fs';
import { dirname } from 'node:path';
import { FolderWatch } from '../store/folder-watch.ts';
import { localPath } from '../store/portable-path.ts';
import type { PauseOptions, RunSite } from './durable.ts';
import { type Wait, waitUntil } from './wait-until.ts';

/** `PauseOptions.stopFile` on this machine. */
export function stopFileOf(
  { site }: { readonly site: Pick<RunSite, 'workspace'> },
  options: PauseOptions | undefined,
): string | undefined {
  return options?.stopFile === undefined ? undefined : localPath(site.workspace, options.stopFile);
}

/** How often the file is checked on systems without file watching. */
const POLL_MS = 1000;

/** Waits until the time or until the file appears. True: the file came first. */
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
