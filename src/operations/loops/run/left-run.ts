import fs from 'node:fs';
import { lastInput } from '../../../engine/last-input.ts';
import type { IterateInput } from '../../../iterate/input.ts';
import type { Metadata } from '../../../iterate/workspace/metadata.ts';
import { parseRunId } from '../../../model/ids.ts';
import { runPaths } from '../../../store/layout.ts';
import { type ReadRun, readRunById } from '../../runs/read-run.ts';
import type { Site } from '../../site.ts';

export interface LeftRun {
  /** The workspace's last run, if it was killed or interrupted and can be resumed. */
  readonly run?: ReadRun;
  /** Why an unfinished run cannot be resumed. */
  readonly damage?: string;
}

export function findLeftRun(site: Site, metadata: Metadata): LeftRun {
  const runId = parseRunId(metadata.run?.id ?? '');
  if (runId === undefined || !fs.existsSync(runPaths(site.workspace, runId).journal)) return {};
  const read = readRunById(site, runId);
  if (read.type === 'error')
    return read.error.type === 'damaged-run' ? { damage: read.error.damage.message } : {};
  const run = read.value;
  if (run.damage !== undefined) return { damage: run.damage.message };
  const isLeft = run.state.status === 'running' || run.state.status === 'interrupted';
  return isLeft && inputOf(run).dryRun !== true ? { run } : {};
}

/** Its input when it was started or last resumed. */
export function inputOf({ events }: Pick<ReadRun, 'events'>): IterateInput {
  return lastInput(events) as unknown as IterateInput;
}
