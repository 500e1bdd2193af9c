import fs from 'node:fs';
import path from 'node:path';
import { type Journal, readJournals } from '../kill-everywhere/journal.ts';
import { perform, type Theatre } from '../kill-everywhere/stage.ts';

/** Updates the `state.json` of runs that have ended, as described in docs/files.md. */
export async function refreshViews(theatre: Theatre): Promise<void> {
  for (const journal of readJournals(theatre.folder)) {
    if (!isBehind(theatre.folder, journal)) continue;
    await perform(theatre, { name: 'refresh', argv: [] }, { argv: ['resume', journal.runId, '--quiet'] });
  }
}

/** Whether it is behind the journal. */
function isBehind(folder: string, { runId, lines }: Journal): boolean {
  const last = lines.at(-1);
  if (last?.type !== 'run-ended') return false;
  try {
    const file = path.join(folder, '.orchestrate', 'runs', runId, 'state.json');
    return JSON.parse(fs.readFileSync(file, 'utf8')).status !== last.status;
  } catch {
    return true;
  }
}
