/** A workspace that is served: its site, its address on the page, and its runs. */
import { basename } from 'node:path';
import { sha256 } from '../../model/sha256.ts';
import { LiveRuns } from '../../operations/live/live-runs.ts';
import type { Site } from '../../operations/site.ts';

export interface Served {
  /** The folder's name and a short digest of its path. */
  readonly id: string;
  readonly name: string;
  readonly site: Site;
  readonly runs: LiveRuns;
}

export function serveWorkspace(site: Site, onChange: () => void): Served {
  const name = basename(site.workspace);
  const id = `${name.replace(/[^A-Za-z0-9_.-]/g, '_').slice(0, 60)}-${sha256(site.workspace).slice(0, 6)}`;
  return { id, name, site, runs: new LiveRuns(site.workspace, onChange) };
}
