import fs from 'node:fs';
import type { JournalEvent } from '../../model/event.ts';
import type { RunId } from '../../model/ids.ts';
import { type JournalDamage, readJournal } from '../../store/journal-file.ts';
import { runPaths } from '../../store/layout.ts';
import { describeDamage } from '../describe-damage.ts';
import { foldEvents, isRunAlive } from '../inspect-run.ts';
import type { Finding } from './finding.ts';

/** What a run's journal holds, and, where it is damaged, what of it can be saved. */
export function checkRun(workspace: string, runId: RunId): readonly Finding[] {
  const journal = readJournal(runPaths(workspace, runId).journal);
  if (journal.type === 'error') return damageFindings(runId, journal.error);
  const { events, tornBytes } = journal.value;
  const findings: Finding[] = [
    {
      area: 'run',
      level: 'ok',
      message: `the journal is whole: ${events.length} records, ${completed(events)} completed steps`,
    },
  ];
  if (tornBytes > 0) {
    findings.push({
      area: 'run',
      level: 'note',
      message: `its last ${tornBytes} bytes are a record that was cut short; nobody was told of it`,
      help: 'nothing to do: resuming cuts them off',
    });
  }
  return findings;
}

function damageFindings(runId: RunId, damage: JournalDamage): readonly Finding[] {
  const problem: Finding = { area: 'run', level: 'problem', ...describeDamage(runId, damage) };
  if (!('before' in damage)) return [problem];
  return [
    problem,
    {
      area: 'run',
      level: 'note',
      message: `before it stand ${damage.before.length} whole records with ${completed(damage.before)} completed steps`,
    },
  ];
}

function completed(events: readonly JournalEvent[]): number {
  return foldEvents(events)?.totals.steps_completed ?? 0;
}

/** Cuts a damaged journal before the damage, keeping the damaged one. Answers what was done, or why not. */
export function cutRun(workspace: string, runId: RunId): Finding {
  const paths = runPaths(workspace, runId);
  const refused = (message: string): Finding => ({
    area: 'run',
    level: 'problem',
    message,
    help: 'nothing was changed',
  });
  if (isRunAlive(paths)) return refused('a process is running it');
  const journal = readJournal(paths.journal);
  if (journal.type === 'ok')
    return { area: 'run', level: 'ok', message: 'the journal is whole: nothing to cut' };
  const damage = journal.error;
  if (!('before' in damage)) return refused(damage.message);
  const kept = `${paths.journal}.damaged-${Date.now()}`;
  fs.copyFileSync(paths.journal, kept, fs.constants.COPYFILE_EXCL);
  fs.truncateSync(paths.journal, damage.offset);
  return {
    area: 'run',
    level: 'ok',
    message: `cut at line ${damage.line}; the damaged journal is kept as ${kept.slice(kept.lastIndexOf('/') + 1)}`,
    help: `\`orchestrate resume ${runId}\` goes on from there`,
  };
}
