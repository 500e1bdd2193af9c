import { basename, dirname } from 'node:path';
import { LoopHistory } from '../../iterate/events/loop-history.ts';
import { MODES, type Mode } from '../../iterate/mode.ts';
import type { LoopReport } from '../../model/loop-report.ts';
import { error, ok, type Result } from '../../model/result.ts';
import { localPath } from '../../store/portable-path.ts';
import type { Problem } from '../problem.ts';
import { listRuns } from '../runs/list-runs.ts';
import { readRunWithEvents } from '../runs/read-run.ts';
import type { Site } from '../site.ts';
import { openWorkspace } from './site/find-loop.ts';
import { type OfLoops, openLoops } from './site/loops.ts';

export interface ReportLoops extends OfLoops {
  /** Default: every loop that has worked since then. */
  readonly names?: readonly string[];
  readonly since?: Date | undefined;
  /** Leaves out those of `names` that have not been run. */
  readonly startedOnly?: boolean;
}

const A_NIGHT_MS = 24 * 3_600_000;

/** What loops did, in the order in which they were started: the last run of each named one, or all runs that worked since then. */
export function reportLoops(site: Site, asked: ReportLoops): Result<readonly LoopReport[], Problem> {
  const loops = openLoops(site, asked);
  if (loops.type === 'error') return loops;
  const { names = [], since = new Date(site.now().getTime() - A_NIGHT_MS) } = asked;
  const chosen: Chosen[] = [];
  for (const name of names) {
    const opened = openWorkspace(loops.value, name);
    if (opened.type === 'error') return opened;
    const { metadata } = opened.value;
    if (metadata.run === undefined && asked.startedOnly === true) continue;
    if (metadata.run === undefined) return error({ type: 'loop-never-run', name });
    chosen.push({ name: metadata.name, mode: metadata.mode, runId: metadata.run?.id ?? '' });
  }
  if (names.length === 0) chosen.push(...workedSince(site, loops.value.workspacesDir, since));
  if (chosen.length === 0 && asked.startedOnly !== true)
    return error({ type: 'no-loop-run-since', since: since.toISOString() });
  const reports: LoopReport[] = [];
  for (const { name, mode, runId } of chosen) {
    const run = readRunWithEvents(site, runId);
    if (run.type === 'error') return run;
    const history = new LoopHistory({ run_id: run.value.runId, name, mode });
    for (const event of run.value.events) history.apply(event);
    reports.push(history.report(run.value));
  }
  return ok(reports.sort((a, b) => (a.started_at < b.started_at ? -1 : 1)));
}

interface Chosen {
  readonly name: string;
  readonly mode: Mode;
  readonly runId: string;
}

/** Runs of loops in these workspaces, also of one that was removed since; not verifications by themselves, and no dry runs. */
function workedSince(site: Site, workspacesDir: string, since: Date): readonly Chosen[] {
  const chosen: Chosen[] = [];
  for (const run of listRuns(site)) {
    if (run.type !== 'run' || run.state.kind !== 'iterate') continue;
    const { iterate_workspace: folder, mode, dry_run: isDry, updated_at: at } = run.state;
    if (typeof folder !== 'string' || dirname(localPath(site.workspace, folder)) !== workspacesDir) continue;
    if (isDry === true || !isMode(mode) || Date.parse(at) < since.getTime()) continue;
    chosen.push({ name: basename(folder), mode, runId: run.runId });
  }
  return chosen;
}

function isMode(value: unknown): value is Mode {
  return (MODES as readonly unknown[]).includes(value);
}
