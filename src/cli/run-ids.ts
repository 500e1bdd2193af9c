import fs from 'node:fs';
import { createRunId, parseRunId, type RunId, timeAfter } from '../model/ids.ts';
import { uniqueBytes } from '../model/unique.ts';
import { errnoOf } from '../store/errno.ts';
import { runsFolder } from '../store/layout.ts';

/** The id of a run that begins now. It sorts after every other of the workspace, also where the clock was set back since. */
export function newRunId(workspace: string): RunId {
  const runId = createRunId(new Date(), uniqueBytes(4));
  let newest: RunId | undefined;
  for (const other of runIdsIn(workspace)) if (newest === undefined || other > newest) newest = other;
  return newest === undefined || newest < runId ? runId : createRunId(timeAfter(newest), uniqueBytes(4));
}

/** Every run of the workspace, the newest first: ids begin with the time, and none is given that sorts before an older one. */
export function listRunIds(workspace: string): readonly RunId[] {
  return runIdsIn(workspace).sort().reverse();
}

function runIdsIn(workspace: string): RunId[] {
  try {
    return fs
      .readdirSync(runsFolder(workspace))
      .map(parseRunId)
      .filter((runId) => runId !== undefined);
  } catch (cause) {
    if (errnoOf(cause) === 'ENOENT') return [];
    throw cause;
  }
}
