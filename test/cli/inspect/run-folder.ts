/** Run folders for tests, as a run writes them: a journal of events and, by default, its view. */
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { StateFold } from '../../../src/engine/fold-state.ts';
import type { JournalEvent } from '../../../src/model/event.ts';
import type { RunId } from '../../../src/model/ids.ts';
import { createJournal } from '../../../src/store/journal-file.ts';
import { runPaths } from '../../../src/store/layout.ts';

export interface FolderOptions {
  /** Omits state.json. */
  readonly noState?: boolean;
}

export function writeRun(
  workspace: string,
  events: readonly JournalEvent[],
  options: FolderOptions = {},
): ReturnType<typeof runPaths> {
  const started = events.find((event) => event.type === 'run-started');
  if (started === undefined) throw new Error('a run starts with run-started');
  const paths = runPaths(workspace, started.runId);
  fs.mkdirSync(paths.logs, { recursive: true });
  const journal = createJournal(paths.journal);
  const fold = new StateFold();
  for (const event of events) {
    journal.appendNow(event);
    fold.apply(event);
  }
  journal.close();
  if (options.noState !== true) fs.writeFileSync(paths.state, `${JSON.stringify(fold.state, null, 2)}\n`);
  return paths;
}

/** The events of a run under another id. */
export function withId(events: readonly JournalEvent[], runId: string): readonly JournalEvent[] {
  return events.map((event) => (event.type === 'run-started' ? { ...event, runId: runId as RunId } : event));
}

/** Every path below the folder with its size, change time and contents, as one string. */
export function fingerprint(folder: string): string {
  const names = fs.readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort();
  return names
    .map((name) => {
      const file = path.join(folder, name);
      const stat = fs.lstatSync(file, { bigint: true });
      const digest = stat.isFile() ? createHash('sha256').update(fs.readFileSync(file)).digest('hex') : '';
      return `${name} ${stat.mode} ${stat.size} ${stat.mtimeNs} ${stat.ctimeNs} ${digest}`;
    })
    .join('\n');
}
