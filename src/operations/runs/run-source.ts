import type { RunId } from '../../model/ids.ts';
import { type RunPaths, runPathsIn, runsFolder } from '../../store/layout.ts';
import type { Site } from '../site.ts';
import type { RunSource } from '../workers.ts';
import { listRunIds } from './run-ids.ts';
import { isRunAlive } from './run-life.ts';

/** What reading a run takes. */
export type OfRuns = Pick<Site, 'workspace' | 'workers'>;

/** The runs of the workspace: those in its folder, and, for a site that reaches workers, those of their database. */
export function sourceOf({ workspace, workers }: OfRuns): RunSource {
  return workers?.runs ?? folderSource(workspace);
}

export function folderSource(workspace: string): RunSource {
  // Resolved once for each list: there may be thousands of runs.
  let folder: string | undefined;
  const pathsOf = (runId: RunId): RunPaths => {
    folder ??= runsFolder(workspace);
    return runPathsIn(`${folder}/${runId}`);
  };
  return {
    ids: () => {
      folder = undefined;
      return listRunIds(workspace);
    },
    pathsOf,
    isAlive: (runId) => isRunAlive(pathsOf(runId)),
  };
}
