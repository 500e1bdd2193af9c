import { setTimeout as delay } from 'node:timers/promises';
import { type LogFile, type LogQuery, logFiles } from '../operations/runs/log-files.ts';
import { logSize } from '../operations/runs/read-log.ts';
import type { ReadRun } from '../operations/runs/read-run.ts';
import { isRunAlive } from '../operations/runs/run-life.ts';
import type { LogPrinter } from './print-log.ts';
import { writeOut } from './standard-output.ts';

const LOOK_EVERY_MS = 150;

/** Prints the logs and whatever is added to them, until no process owns the run any more or the reader has closed the pipe. */
export async function followLogs({ paths }: ReadRun, query: LogQuery, printer: LogPrinter): Promise<void> {
  const printed = new Map<string, number>();
  const files = new Map<string, LogFile>();
  let current = '';
  for (let isLast = false; ; ) {
    for (const file of logFiles(paths, query)) {
      const from = printed.get(file.path) ?? 0;
      const size = logSize(file.path);
      if (size <= from) continue;
      const title = query.key === undefined && current !== file.path ? `==> ${file.name} <==\n` : '';
      current = file.path;
      if (!writeOut(Buffer.from(title)) || !printer.print(file, { from, to: size })) return;
      printed.set(file.path, size);
      files.set(file.path, file);
    }
    if (isLast) break;
    isLast = !isRunAlive(paths);
    if (!isLast) await delay(LOOK_EVERY_MS);
  }
  for (const file of files.values()) if (!printer.end(file)) return;
}
