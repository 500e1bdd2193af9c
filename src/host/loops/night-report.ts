import { posix } from 'node:path';
import { reportsOf } from '../../iterate/workspace/layout.ts';
import type { QueuedLoop } from '../../iterate/workspace/queue.ts';
import type { LoopReport } from '../../model/loop-report.ts';
import { error, ok, type Result } from '../../model/result.ts';
import { reportLoops } from '../../operations/loops/report-loops.ts';
import { type OfLoops, openLoops } from '../../operations/loops/site/loops.ts';
import type { Problem } from '../../operations/problem.ts';
import type { Site } from '../../operations/site.ts';
import { LOOP_REPORT_FORMATS, renderLoops } from '../../report/render-loops.ts';
import { makeIgnoredFolder } from '../../store/ignored-folder.ts';
import { writeKnown } from '../../store/write-known.ts';

export interface NightReport {
  /** Absolute, without its extension. */
  readonly path: string;
  readonly loops: readonly LoopReport[];
}

/** Writes the report of the loops of the queue that have been started; undefined if there are none. */
export function writeNightReport(
  site: Site,
  asked: OfLoops,
  queued: readonly QueuedLoop[],
): Result<NightReport | undefined, Problem> {
  const opened = openLoops(site, asked);
  if (opened.type === 'error') return opened;
  const started = queued.filter(({ startedAt }) => startedAt !== undefined);
  const [first] = started.map(({ startedAt = '' }) => startedAt).sort();
  if (first === undefined) return ok(undefined);
  const reports = reportLoops(site, { ...asked, names: started.map(({ name }) => name), startedOnly: true });
  if (reports.type === 'error') return reports;
  if (reports.value.length === 0) return ok(undefined);
  const folder = opened.value.config.folder('reportsDir');
  const name = `night-${posix.basename(reportsOf(first))}`;
  makeIgnoredFolder(folder);
  for (const format of LOOP_REPORT_FORMATS) {
    const text = renderLoops(reports.value, format);
    const file = { path: `${name}.${format}`, text, mode: 0o600, record: '.reports.sha256', mayBeLost: true };
    const done = writeKnown(folder, file);
    if (done.type === 'error') return error({ type: 'loop-report-not-written', failure: done.error });
  }
  return ok({ path: posix.join(folder, name), loops: reports.value });
}
