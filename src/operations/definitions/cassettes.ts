/** Where the agent calls of a run are recorded, or replayed from. */
import fs from 'node:fs';
import { join } from 'node:path';
import type { CassetteUse } from '../../effects/agent/run-agent.ts';
import { parseRunId, type RunId } from '../../model/ids.ts';
import { runPaths } from '../../store/layout.ts';
import { portablePath } from '../../store/portable-path.ts';
import type { Problem } from '../problem.ts';
import { findRun } from '../runs/find-run.ts';
import { listRunIds } from '../runs/run-ids.ts';
import type { Site } from '../site.ts';
import type { StartWorkflow } from './asked.ts';

export function cassetteOf(
  site: Site,
  runId: RunId,
  { records, replay }: Pick<StartWorkflow, 'records' | 'replay'>,
): CassetteUse | undefined {
  if (records === true) return recordingOf(site, runId);
  if (replay === undefined) return undefined;
  const folder = portablePath(site.workspace, replayFolder(site, replay.from));
  return { type: 'replay', folder, loose: replay.isLoose === true };
}

/** The problem of a replay without cassettes. */
export function noCassettes(site: Site, { replay }: Pick<StartWorkflow, 'replay'>): Problem | undefined {
  return replay !== undefined && !fs.existsSync(replayFolder(site, replay.from))
    ? { type: 'no-cassettes', from: replay.from }
    : undefined;
}

/** The same for a new run of the same input: cassettes go to its own folder. */
export function cassetteAgain(
  site: Site,
  runId: RunId,
  cassette: CassetteUse | undefined,
): CassetteUse | undefined {
  return cassette?.type === 'record' ? recordingOf(site, runId) : cassette;
}

function recordingOf({ workspace }: Pick<Site, 'workspace'>, runId: RunId): CassetteUse {
  return { type: 'record', folder: portablePath(workspace, runPaths(workspace, runId).cassettes) };
}

/** `last` is the newest run that was recorded. */
function replayFolder(site: Site, from: string): string {
  const { workspace } = site;
  const folder = join(workspace, from);
  if (parseRunId(from) === undefined && fs.existsSync(folder)) return folder;
  if (from === 'last') {
    const recorded = listRunIds(workspace).map((runId) => runPaths(workspace, runId).cassettes);
    return recorded.find((cassettes) => fs.existsSync(cassettes)) ?? folder;
  }
  const run = findRun(site, from);
  return run.type === 'ok' ? runPaths(workspace, run.value).cassettes : folder;
}
