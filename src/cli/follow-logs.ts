import fs from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import type { RunPaths } from '../store/layout.ts';
import { isRunAlive } from './inspect-run.ts';
import { type LogQuery, logFiles, printFile } from './log-files.ts';
import { writeOut } from './standard-output.ts';

const LOOK_EVERY_MS = 150;

/** Prints what is there and what is added, until no process owns the run any more and everything has been printed, or nobody reads. */
export async function followLogs(paths: RunPaths, query: LogQuery): Promise<void> {
  const isTerminal = process.stdout.isTTY === true;
  const printed = new Map<string, number>();
  let current = '';
  for (let isLast = false; ; ) {
    for (const file of logFiles(paths, query)) {
      const from = printed.get(file.path) ?? 0;
      const size = fs.statSync(file.path, { throwIfNoEntry: false })?.size ?? 0;
      if (size <= from) continue;
      const title = query.key === undefined && current !== file.path ? `==> ${file.name} <==\n` : '';
      current = file.path;
      if (!writeOut(Buffer.from(title)) || !printFile(file.path, isTerminal, { from, to: size })) return;
      printed.set(file.path, size);
    }
    if (isLast) return;
    isLast = !isRunAlive(paths);
    if (!isLast) await delay(LOOK_EVERY_MS);
  }
}
