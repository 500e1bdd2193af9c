/** `reports/` in the workspace: a summary of each iteration, and a report of the run. Written again whenever something is known. */

import { join } from 'node:path';
import { loopEventOf } from '../../iterate/events/loop-event.ts';
import { LoopHistory } from '../../iterate/events/loop-history.ts';
import type { IterateInput } from '../../iterate/input.ts';
import { FILES, reportsOf } from '../../iterate/workspace/layout.ts';
import { describeFailure } from '../../model/describe-failure.ts';
import type { JournalEvent, RunEvent } from '../../model/event.ts';
import { LOOP_REPORT_FORMATS, renderIteration, renderLoops } from '../../report/render-loops.ts';
import { namesIn } from '../../store/names-in.ts';
import { sweepIfThere } from '../../store/temporary-name.ts';
import { writeKnown } from '../../store/write-known.ts';
import type { LoopListener } from './loop-listener.ts';

export interface LoopReportsOptions {
  readonly input: IterateInput;
  /** Absolute: the workspace of the loop. */
  readonly folder: string;
  /** Events recorded by earlier processes of the run. */
  readonly history: readonly JournalEvent[];
  onProblem(problem: string): void;
}

export function createLoopReports(options: LoopReportsOptions): LoopListener {
  const { input, history, onProblem, folder: workspacePath } = options;
  const { runId, name, mode } = input;
  const fold = new LoopHistory({ run_id: runId, name, mode });
  let hasFailed = false;
  for (const event of history) fold.apply(event);
  sweepReports(workspacePath);
  const write = (path: string, text: string): void => {
    if (hasFailed) return;
    const record = `${FILES.reports}/${FILES.reportsWritten}`;
    const done = writeKnown(workspacePath, { path, text, mode: 0o600, record, mayBeLost: true });
    if (done.type === 'ok') return;
    hasFailed = true;
    onProblem(`cannot write the reports: ${describeFailure(done.error)}; the run continues without them`);
  };
  return {
    event(event) {
      fold.apply(event);
      if (!isNews(event)) return;
      const report = fold.report({ isAlive: true });
      const folder = reportsOf(report.started_at);
      for (const iteration of report.iterations.slice(event.type === 'run-resumed' ? 0 : -1))
        write(
          `${folder}/iteration-${String(iteration.iteration).padStart(3, '0')}.md`,
          renderIteration(name, iteration),
        );
      for (const format of LOOP_REPORT_FORMATS)
        write(`${folder}/report.${format}`, renderLoops([report], format));
    },
    close() {},
  };
}

/** A process that was killed while it reported the end of an earlier run: nothing writes to the folder of that run again. */
export function sweepReports(workspacePath: string): void {
  const folder = join(workspacePath, FILES.reports);
  for (const name of namesIn(folder)) sweepIfThere(join(folder, name));
}

function isNews(event: RunEvent): boolean {
  switch (event.type) {
    case 'run-resumed':
    case 'run-ended':
    case 'question-asked':
      return true;
    case 'step-ended': {
      const type = loopEventOf(event)?.type;
      return (
        type === 'iteration-ended' || type === 'check-ended' || type === 'verified' || isCommit(event.key)
      );
    }
    default:
      // Partial: the others change no figure that people wait for.
      return false;
  }
}

function isCommit(key: string): boolean {
  return key.endsWith('@commit');
}
