import fs from 'node:fs';
import { pathsIn } from '../../iterate/workspace/layout.ts';
import { defined } from '../../model/defined.ts';
import { error, ok, type Result } from '../../model/result.ts';
import type { LimitState } from '../../model/run-state.ts';
import { replaceFile } from '../../store/atomic-write.ts';
import { heldBy } from '../../store/lock.ts';
import type { Problem } from '../problem.ts';
import type { Site } from '../site.ts';
import { openLoop } from './site/find-loop.ts';
import type { OfLoop } from './site/loops.ts';
import { usageLimitOf } from './site/usage-limit.ts';

export interface Ending {
  /** The process that runs it. */
  readonly pid: number;
  /** The usage limit it is waiting for. */
  readonly limit?: LimitState;
}

/** Asks a loop to stop after its current iteration; one that waits stops now. */
export function stopLoop(site: Site, asked: OfLoop): Result<Ending, Problem> {
  const opened = openLoop(site, asked);
  if (opened.type === 'error') return opened;
  const { paths, metadata } = opened.value.workspace;
  const held = heldBy(paths.lock);
  if (held === undefined) return error({ type: 'loop-not-running', name: asked.name });
  const limit = usageLimitOf(site, metadata);
  requestStop(site, paths);
  return ok({ pid: held.owner.pid, ...defined({ limit }) });
}

/** The same, but it first repeats the iteration for which it waits, and its run is kept: the next `run` resumes it. */
export function pauseLoop(site: Site, asked: OfLoop): Result<Ending, Problem> {
  const opened = openLoop(site, asked);
  if (opened.type === 'error') return opened;
  const { paths, metadata } = opened.value.workspace;
  const held = heldBy(paths.lock);
  if (held === undefined) return error({ type: 'loop-not-running', name: asked.name });
  replaceFile(paths.pause, `${site.now().toISOString()}\n`, { mode: 0o644 });
  return ok({ pid: held.owner.pid, ...defined({ limit: usageLimitOf(site, metadata) }) });
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
