import fs from 'node:fs';
import { relative } from 'node:path';
import type { Site } from '../site.ts';
import { findRun } from './find-run.ts';
import { sourceOf } from './run-source.ts';

/** So much is read in about the time for which a server may keep others waiting. */
const LARGE_BYTES = 2 * 1024 * 1024;

/** The journal of a run, relative to the workspace, if it is too large to be read at once by a process on which others depend. */
export function largeJournal(site: Site, asked: string): string | undefined {
  if (site.codeProcesses === undefined) return undefined;
  const found = findRun(site, asked);
  if (found.type === 'error') return undefined;
  const { journal } = sourceOf(site).pathsOf(found.value);
  const size = fs.statSync(journal, { throwIfNoEntry: false })?.size ?? 0;
  return size > LARGE_BYTES ? relative(site.workspace, journal) : undefined;
}
