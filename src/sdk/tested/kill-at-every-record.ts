/**
 * What a kill would do, without killing: the journal of a completed test is cut after each of its records, as it would be if the process had died
 * there, and the run is resumed.
 */
import fs from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import { isShown } from '../../model/effect.ts';
import type { JournalEvent, RunEvent } from '../../model/event.ts';
import type { RunId } from '../../model/ids.ts';
import { resumeRun } from '../../operations/resuming/resume-run.ts';
import { readWholeRun } from '../../operations/runs/read-run.ts';
import { orThrow } from '../embedded/refusal.ts';
import type { RunEnd } from '../orchestrator-types.ts';
import { type Rehearsing, rehearse } from './rehearse.ts';

/** Puts the run back as it was, whatever happens. */
export async function killedAfter(
  runId: RunId,
  tested: Rehearsing & { readonly end: RunEnd },
): Promise<void> {
  const { paths, events } = orThrow(readWholeRun(tested.site, runId));
  const aside = `${paths.directory}.whole`;
  fs.cpSync(paths.directory, aside, { recursive: true });
  const lines = fs.readFileSync(paths.journal, 'utf8').trimEnd().split('\n');
  // The first line is the header, and the second one begins the run.
  const before = lines.length - events.length;
  try {
    for (let records = 1; records < events.length; records += 1) {
      fs.rmSync(paths.directory, { recursive: true });
      fs.mkdirSync(paths.directory, { mode: 0o700 });
      fs.writeFileSync(paths.journal, `${lines.slice(0, before + records).join('\n')}\n`, { mode: 0o600 });
      await resumed(runId, { ...tested, recorded: events.slice(0, records) });
    }
  } finally {
    fs.rmSync(paths.directory, { recursive: true, force: true });
    fs.renameSync(aside, paths.directory);
  }
}

async function resumed(
  runId: RunId,
  tested: Rehearsing & { readonly end: RunEnd; readonly recorded: readonly JournalEvent[] },
): Promise<void> {
  const last = tested.recorded.at(-1);
  const where = `killed after record ${tested.recorded.length} (${last?.type}${last !== undefined && 'key' in last ? ` of \`${last.key}\`` : ''})`;
  const prepared = orThrow(await resumeRun(tested.site, { run: runId }));
  const { end, events } = await rehearse(prepared, tested);
  const again = keysStarted(events).filter((key) => endedIn(tested.recorded).has(key));
  if (again.length > 0) throw new Error(`${where}, \`${again[0]}\` was called a second time`);
  if (!isDeepStrictEqual(end, tested.end))
    throw new Error(
      `${where}, it ended differently\n  - ${JSON.stringify(tested.end)}\n  + ${JSON.stringify(end)}`,
    );
}

function keysStarted(events: readonly RunEvent[]): readonly string[] {
  return events.flatMap((event) =>
    event.type === 'step-started' && isShown(event.effect) ? [event.key] : [],
  );
}

function endedIn(events: readonly JournalEvent[]): ReadonlySet<string> {
  return new Set(events.flatMap((event) => (event.type === 'step-ended' ? [event.key] : [])));
}
