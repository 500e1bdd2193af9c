import { setTimeout as delay } from 'node:timers/promises';
import { type LogFile, type LogQuery, logFiles } from '../operations/runs/log-files.ts';
import type { LogSteps } from '../operations/runs/log-steps.ts';
import { logSize } from '../operations/runs/read-log.ts';
import type { ReadRun } from '../operations/runs/read-run.ts';
import type { LogPrinter } from './print-log.ts';

const LOOK_EVERY_MS = 150;

/** Prints the logs and whatever is added to them, until no process owns the run any more or the reader has closed the pipe. */
export async function followLogs(
  { paths }: ReadRun,
  query: LogQuery,
  shown: {
    readonly printer: LogPrinter;
    readonly steps: LogSteps;
    readonly isTitled: boolean;
    /** Whether more may come. */
    isAlive(): boolean | Promise<boolean>;
  },
): Promise<void> {
  const { printer, steps, isTitled } = shown;
  const printed = new Map<string, number>();
  const files = new Map<string, LogFile>();
  let current = '';
  for (let isLast = false; ; ) {
    for (const file of logFiles(paths, query)) {
      const from = printed.get(file.path) ?? 0;
      const size = logSize(file.path);
      if (size <= from) continue;
      const isNew = current !== file.path;
      current = file.path;
      if (isTitled && isNew && !printer.title(steps.titleOf(file.name))) return;
      if (!printer.print(file, { from, to: size })) return;
      printed.set(file.path, size);
      files.set(file.path, file);
    }
    if (isLast) break;
    isLast = !(await shown.isAlive());
    if (!isLast) await delay(LOOK_EVERY_MS);
  }
  for (const file of files.values()) if (!printer.end(file)) return;
}
