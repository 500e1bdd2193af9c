/** A workspace that is served: its site, its address on the page, and its runs. */
import { basename } from 'node:path';
import { LiveRuns } from '../../operations/live/live-runs.ts';
import { workspaceId } from '../../operations/serving/workspace-id.ts';
import type { Site } from '../../operations/site.ts';

export interface Served {
  /** The folder's name and a short digest of its path. */
  readonly id: string;
  readonly name: string;
  readonly site: Site;
  /** How this program is called. */
  readonly program: readonly string[];
  readonly runs: LiveRuns;
}

export function serveWorkspace(
  { site, program }: Pick<Served, 'site' | 'program'>,
  onChange: () => void,
): Served {
  const { workspace } = site;
  return {
    ...{ id: workspaceId(workspace), name: basename(workspace), site, program },
    runs: new LiveRuns(site, onChange),
  };
}
