import fs from 'node:fs';
import {
  type Archive,
  type ArchiveContents,
  archiveHolding,
  findArchive,
  listArchives,
  lookIntoArchive,
  type Restored,
  restoreArchive,
  saveArchive,
} from '../../iterate/archive/archives.ts';
import { shownSettings } from '../../iterate/notify-address.ts';
import { error, ok, type Result } from '../../model/result.ts';
import { removeFolder } from '../../store/remove-folder.ts';
import { sweepIfThere } from '../../store/temporary-name.ts';
import type { Problem } from '../problem.ts';
import type { Site } from '../site.ts';
import { openWorkspace } from './site/find-loop.ts';
import { type Loops, type OfLoop, type OfLoops, openLoops } from './site/loops.ts';
import { takeWorkspace } from './site/take-workspace.ts';

export type { Archive } from '../../iterate/archive/archives.ts';

export interface OfArchive extends OfLoops {
  readonly archive: string;
}

export interface ArchiveLoop extends OfLoop {
  /** Keep the workspace. */
  readonly keeps?: boolean | undefined;
}

export async function archiveLoop(site: Site, asked: ArchiveLoop): Promise<Result<Archive, Problem>> {
  const loops = openLoops(site, asked);
  if (loops.type === 'error') return loops;
  const archiveDir = loops.value.config.folder('archiveDir');
  for (const folder of [loops.value.workspacesDir, archiveDir]) sweepIfThere(folder);
  const workspace = openWorkspace(loops.value, asked.name);
  if (workspace.type === 'error') return workspace;
  const lock = takeWorkspace(workspace.value);
  if (lock.type === 'error') return lock;
  try {
    const work = { name: asked.name, folder: workspace.value.paths.folder };
    const made = asked.keeps === true ? undefined : await archiveHolding(archiveDir, work);
    const saved = made === undefined ? await saveArchive(archiveDir, work, site.now()) : ok(made);
    if (saved.type === 'error') return error({ type: 'loop-archive-not-created', reason: saved.error });
    if (asked.keeps !== true) removeFolder(work.folder);
    return saved;
  } finally {
    lock.value.release();
  }
}

/** Newest first. */
export function listLoopArchives(site: Site, asked: OfLoops): Result<readonly Archive[], Problem> {
  const loops = openLoops(site, asked);
  return loops.type === 'ok' ? ok(listArchives(loops.value.config.folder('archiveDir'))) : loops;
}

export interface RestoreLoop extends OfArchive {
  /** Default: its original name. */
  readonly name?: string | undefined;
}

export interface LoopRestored extends Restored {
  readonly name: string;
}

export async function restoreLoop(site: Site, asked: RestoreLoop): Promise<Result<LoopRestored, Problem>> {
  const opened = openArchive(site, asked);
  if (opened.type === 'error') return opened;
  const { loops, archive } = opened.value;
  const name = asked.name ?? archive.workspace;
  const restored = await restoreArchive(archive, loops.workspacesDir, name);
  return restored.type === 'ok'
    ? ok({ ...restored.value, name })
    : error({ type: 'loop-archive-not-restored', reason: restored.error });
}

export function findLoopArchive(site: Site, asked: OfArchive): Result<Archive, Problem> {
  const opened = openArchive(site, asked);
  return opened.type === 'ok' ? ok(opened.value.archive) : opened;
}

/** Without credentials. */
export async function readLoopArchive(
  site: Site,
  asked: OfArchive,
): Promise<Result<Archive & ArchiveContents, Problem>> {
  const opened = openArchive(site, asked);
  if (opened.type === 'error') return opened;
  const { archive } = opened.value;
  const contents = await lookIntoArchive(archive);
  return contents.type === 'ok'
    ? ok({ ...archive, ...shownSettings(contents.value) })
    : error({ type: 'loop-archive-not-read', reason: contents.error });
}

export function deleteLoopArchive(site: Site, asked: OfArchive): Result<Archive, Problem> {
  const found = findLoopArchive(site, asked);
  if (found.type === 'ok') {
    if (found.value.isFolder) removeFolder(found.value.path);
    else fs.rmSync(found.value.path);
  }
  return found;
}

function openArchive(
  site: Site,
  asked: OfArchive,
): Result<{ readonly loops: Loops; readonly archive: Archive }, Problem> {
  const loops = openLoops(site, asked);
  if (loops.type === 'error') return loops;
  const archive = findArchive(loops.value.config.folder('archiveDir'), asked.archive);
  return archive === undefined
    ? error({ type: 'loop-archive-not-found', archive: asked.archive })
    : ok({ loops: loops.value, archive });
}
