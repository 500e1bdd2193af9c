import fs from 'node:fs';
import { pathsIn } from '../../iterate/workspace/layout.ts';
import { error, ok, type Result } from '../../model/result.ts';
import { replaceFile } from '../../store/atomic-write.ts';
import { heldBy } from '../../store/lock.ts';
import type { Problem } from '../problem.ts';
import type { Site } from '../site.ts';
import { openLoop } from './site/find-loop.ts';
import type { OfLoop } from './site/loops.ts';

/** Asks a loop to stop after its current iteration. Returns the process that runs it. */
export function stopLoop(site: Site, asked: OfLoop): Result<{ readonly pid: number }, Problem> {
  const opened = openLoop(site, asked);
  if (opened.type === 'error') return opened;
  const { paths } = opened.value.workspace;
  const held = heldBy(paths.lock);
  if (held === undefined) return error({ type: 'loop-not-running', name: asked.name });
  requestStop(site, paths);
  return ok({ pid: held.owner.pid });
}

/** The same, but its run is kept: the next `run` resumes it. */
export function pauseLoop(site: Site, asked: OfLoop): Result<{ readonly pid: number }, Problem> {
  const opened = openLoop(site, asked);
  if (opened.type === 'error') return opened;
  const { paths } = opened.value.workspace;
  const held = heldBy(paths.lock);
  if (held === undefined) return error({ type: 'loop-not-running', name: asked.name });
  replaceFile(paths.pause, `${site.now().toISOString()}\n`, { mode: 0o644 });
  return ok({ pid: held.owner.pid });
}

/** For the process that runs it; the folder is its workspace. */
export function requestStop({ now }: Pick<Site, 'now'>, { folder }: { readonly folder: string }): void {
  replaceFile(pathsIn(folder).stop, `${now().toISOString()}\n`, { mode: 0o644 });
}

/** What its process was asked to do when the current iteration ends. */
export function requestedEnd({ folder }: { readonly folder: string }): 'stop' | 'pause' | undefined {
  const { stop, pause } = pathsIn(folder);
  if (fs.existsSync(stop)) return 'stop';
  return fs.existsSync(pause) ? 'pause' : undefined;
}
