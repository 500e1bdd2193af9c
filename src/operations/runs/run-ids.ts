import { createRunId, parseRunId, type RunId, timeAfter } from '../../model/ids.ts';
import { uniqueBytes } from '../../model/unique.ts';
import { runsFolder } from '../../store/layout.ts';
import { namesIn } from '../../store/names-in.ts';

/** The id of a run that begins now. It sorts after every other of the workspace, also where the clock was set back since. */
export function newRunId(workspace: string): RunId {
  const runId = createRunId(new Date(), uniqueBytes(4));
  const [newest] = listRunIds(workspace);
  return newest === undefined || newest < runId ? runId : createRunId(timeAfter(newest), uniqueBytes(4));
}

/** Every run of the workspace, the newest first: ids begin with the time, and none is given that sorts before an older one. */
export function listRunIds(workspace: string): readonly RunId[] {
  return namesIn(runsFolder(workspace))
    .map(parseRunId)
    .filter((runId) => runId !== undefined)
    .reverse();
}
