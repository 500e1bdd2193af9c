import { createRunId, parseRunId, type RunId, timeAfter } from '../../model/ids.ts';
import { uniqueBytes } from '../../model/unique.ts';
import { runsFolder } from '../../store/layout.ts';
import { namesIn } from '../../store/names-in.ts';

/** Creates a run id for now. It sorts after all others in the workspace, even if the clock was set back. */
export function newRunId(workspace: string): RunId {
  const runId = createRunId(new Date(), uniqueBytes(4));
  const [newest] = listRunIds(workspace);
  return newest === undefined || newest < runId ? runId : createRunId(timeAfter(newest), uniqueBytes(4));
}

/** Every run of the workspace, newest first: ids start with the time and always sort after older ones. */
export function listRunIds(workspace: string): readonly RunId[] {
  return namesIn(runsFolder(workspace))
    .map(parseRunId)
    .filter((runId) => runId !== undefined)
    .reverse();
}

/** When a run was started, in milliseconds: from its id, which is known even if nothing can be read. */
export function startOf({ runId }: { readonly runId: RunId }): number {
  const [, year, month, day, hour, minute, second] =
    /^(\d{4})(\d{2})(\d{2})T(\d{2})(\d{2})(\d{2})Z/.exec(runId) ?? [];
  return Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
}
