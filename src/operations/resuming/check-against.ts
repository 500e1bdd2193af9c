/** Checks a workflow in code against the journals of runs: those of this workspace, or kept in a folder. Nothing is started or written. */
import fs from 'node:fs';
import { join, resolve } from 'node:path';
import { CODE_PROGRAM, type CodeInput } from '../../code/input.ts';
import type { ReplayDivergence } from '../../code/replay/check-replay.ts';
import { defined } from '../../model/defined.ts';

export { describeDivergence } from '../../code/replay/describe-divergence.ts';

import { lastInput } from '../../engine/last-input.ts';
import type { JournalEvent } from '../../model/event.ts';
import { parseRunId, type RunId } from '../../model/ids.ts';
import { error, ok, type Result } from '../../model/result.ts';
import { visitJournal } from '../../store/journal-file.ts';
import { isModuleFile } from '../../store/module-file.ts';
import { namesIn } from '../../store/names-in.ts';
import { loadCode } from '../code/load-code.ts';
import type { Problem } from '../problem.ts';
import { readWholeRun } from '../runs/read-run.ts';
import type { Site } from '../site.ts';
import { checkCode } from './resume-code.ts';

export interface CheckAgainst {
  readonly file: string;
  /** A run, `last`, a journal, or a folder of journals or run folders. */
  readonly against: string;
}

export interface Checked {
  readonly runId: RunId;
  /** Undefined: it fits. */
  readonly divergence?: ReplayDivergence;
}

export async function checkAgainst(
  site: Site,
  { file, against }: CheckAgainst,
): Promise<Result<readonly Checked[], Problem>> {
  if (!isModuleFile(file)) return error({ type: 'not-code', file });
  const loaded = await loadCode(site, file);
  if (loaded.type === 'error') return loaded;
  const journals = journalsOf(site, against);
  if (journals.type === 'error') return journals;
  const checked: Checked[] = [];
  for (const events of journals.value) {
    const input = inputIn(events);
    if (input?.file !== loaded.value.file && input?.name !== loaded.value.workflow.name) continue;
    const divergence = await checkCode(site, { input, events }, loaded.value);
    checked.push({ runId: input.runId, ...defined({ divergence }) });
  }
  return checked.length === 0 ? error({ type: 'no-journals', file, against }) : ok(checked);
}

function inputIn(events: readonly JournalEvent[]): CodeInput | undefined {
  const started = events.find((event) => event.type === 'run-started');
  if (started?.type !== 'run-started' || started.program !== CODE_PROGRAM) return undefined;
  return lastInput(events) as unknown as CodeInput;
}

function journalsOf(site: Site, against: string): Result<readonly (readonly JournalEvent[])[], Problem> {
  const path = resolve(site.workspace, against);
  const kind = parseRunId(against) === undefined ? fs.statSync(path, { throwIfNoEntry: false }) : undefined;
  if (kind === undefined) {
    const run = readWholeRun(site, against);
    return run.type === 'ok' ? ok([run.value.events]) : run;
  }
  const files = kind.isDirectory()
    ? namesIn(path).map((name) =>
        name.endsWith('.jsonl') ? join(path, name) : join(path, name, 'journal.jsonl'),
      )
    : [path];
  return ok(files.filter((file) => fs.existsSync(file)).map(eventsIn));
}

function eventsIn(path: string): readonly JournalEvent[] {
  const events: JournalEvent[] = [];
  visitJournal(path, { visit: (event) => events.push(event) });
  return events;
}
