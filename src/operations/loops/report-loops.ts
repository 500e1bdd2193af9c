import { LoopHistory } from '../../iterate/events/loop-history.ts';
import type { Metadata } from '../../iterate/workspace/metadata.ts';
import { loadWorkspace, workspaceNames } from '../../iterate/workspace/workspaces.ts';
import type { LoopReport } from '../../model/loop-report.ts';
import { error, ok, type Result } from '../../model/result.ts';
import type { Problem } from '../problem.ts';
import { readRunWithEvents } from '../runs/read-run.ts';
import type { Site } from '../site.ts';
import { openWorkspace } from './site/find-loop.ts';
import { type OfLoops, openLoops } from './site/loops.ts';

export interface ReportLoops extends OfLoops {
  /** Default: every loop that was started since then. */
  readonly names?: readonly string[];
  readonly since?: Date | undefined;
  /** Leaves out those of `names` that have not been run. */
  readonly startedOnly?: boolean;
}

const A_NIGHT_MS = 24 * 3_600_000;

/** What the last run of each loop did, in the order in which they were started. */
export function reportLoops(site: Site, asked: ReportLoops): Result<readonly LoopReport[], Problem> {
  const loops = openLoops(site, asked);
  if (loops.type === 'error') return loops;
  const { names = [], since = new Date(site.now().getTime() - A_NIGHT_MS) } = asked;
  const chosen: Metadata[] = [];
  for (const name of names) {
    const opened = openWorkspace(loops.value, name);
    if (opened.type === 'error') return opened;
    const { metadata } = opened.value;
    if (metadata.run === undefined && asked.startedOnly === true) continue;
    if (metadata.run === undefined) return error({ type: 'loop-never-run', name });
    chosen.push(metadata);
  }
  if (names.length === 0) chosen.push(...startedSince(loops.value.workspacesDir, since));
  if (chosen.length === 0 && asked.startedOnly !== true)
    return error({ type: 'no-loop-run-since', since: since.toISOString() });
  const reports: LoopReport[] = [];
  for (const metadata of chosen) {
    const run = readRunWithEvents(site, metadata.run?.id ?? '');
    if (run.type === 'error') return run;
    const history = new LoopHistory({ run_id: run.value.runId, name: metadata.name, mode: metadata.mode });
    for (const event of run.value.events) history.apply(event);
    reports.push(history.report(run.value));
  }
  return ok(reports.sort((a, b) => (a.started_at < b.started_at ? -1 : 1)));
}

function startedSince(workspacesDir: string, since: Date): readonly Metadata[] {
  return workspaceNames(workspacesDir).flatMap((name) => {
    const loaded = loadWorkspace(workspacesDir, name);
    if (loaded.type === 'error') return [];
    const { metadata } = loaded.value;
    const isRun = metadata.run !== undefined && Date.parse(metadata.lastRun ?? '') >= since.getTime();
    return isRun ? [metadata] : [];
  });
}
