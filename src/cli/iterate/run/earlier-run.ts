import fs from 'node:fs';
import { StateFold } from '../../../engine/fold-state.ts';
import { lastInput } from '../../../engine/last-input.ts';
import type { IterateInput } from '../../../iterate/input.ts';
import type { Metadata } from '../../../iterate/workspace/metadata.ts';
import type { JournalEvent } from '../../../model/event.ts';
import { parseRunId, type RunId } from '../../../model/ids.ts';
import { readJournal } from '../../../store/journal-file.ts';
import { runPaths } from '../../../store/layout.ts';
import type { CliContext } from '../../context.ts';

export interface EarlierRun {
  readonly runId: RunId;
  readonly events: readonly JournalEvent[];
  readonly input: IterateInput;
}

/** The workspace's last run, if it was killed or interrupted and can be gone on with. Called by who holds the workspace. */
export function unfinishedRun(context: CliContext, metadata: Metadata): EarlierRun | undefined {
  const runId = parseRunId(metadata.run?.id ?? '');
  if (runId === undefined) return undefined;
  const { journal: path } = runPaths(context.workspace, runId);
  if (!fs.existsSync(path)) return undefined;
  const journal = readJournal(path);
  if (journal.type === 'error') {
    context.err(`warning: the last run cannot be gone on with: ${journal.error.message}; a new one begins\n`);
    return undefined;
  }
  const { events } = journal.value;
  const fold = new StateFold();
  for (const event of events) fold.apply(event);
  const status = fold.state?.status;
  if (status !== 'running' && status !== 'interrupted') return undefined;
  const input = lastInput(events) as unknown as IterateInput | undefined;
  return input === undefined || input.dryRun === true ? undefined : { runId, events, input };
}
