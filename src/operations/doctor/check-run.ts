import fs from 'node:fs';
import { basename } from 'node:path';
import { foldEvents } from '../../engine/fold-state.ts';
import { closeFile } from '../../model/close-file.ts';
import { errnoWords } from '../../model/describe-failure.ts';
import type { JournalEvent } from '../../model/event.ts';
import type { RunId } from '../../model/ids.ts';
import { holderHelp, holderText } from '../../store/describe-held.ts';
import { errnoOf } from '../../store/errno.ts';
import { type JournalDamage, readJournal } from '../../store/journal-file.ts';
import { type RunPaths, runPaths } from '../../store/layout.ts';
import { acquireLock } from '../../store/lock.ts';
import { copyPlain, openPlainTo } from '../../store/plain-file.ts';
import { syncFolder } from '../../store/write-whole.ts';
import { describeDamage } from '../describe-problem.ts';
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
  try {
    const acquired = acquireLock(paths.lock);
    if (acquired.type === 'error')
      return refused(
        `it is being run by ${holderText(acquired.error)}`,
        holderHelp(acquired.error) ?? 'nothing was changed',
      );
    try {
      return cut(paths, runId);
    } finally {
      acquired.value.release();
    }
  } catch (cause) {
    return refused(
      `the journal cannot be cut: ${errnoWords(errnoOf(cause))}`,
      'nothing is lost: the damaged journal is where it was, or kept beside it',
    );
  }
}

/** Nobody else writes to it meanwhile. */
function cut(paths: RunPaths, runId: RunId): Finding {
  const journal = readJournal(paths.journal);
  if (journal.type === 'ok')
    return { area: 'run', level: 'ok', message: 'the journal is whole: nothing to cut' };
  const damage = journal.error;
  if (!('before' in damage)) return refused(damage.message, 'nothing was changed');
  const kept = `${paths.journal}.damaged-${Date.now()}`;
  copyPlain(paths.journal, kept);
  syncFolder(paths.directory);
  cutAt(paths.journal, damage.offset);
  return {
    area: 'run',
    level: 'ok',
    message: `cut at line ${damage.line}; the damaged journal is kept as ${basename(kept)}`,
    help: `\`orchestrate resume ${runId}\` goes on from there`,
  };
}

function cutAt(path: string, bytes: number): void {
  const fd = openPlainTo(path, { to: 'extend' });
  try {
    fs.ftruncateSync(fd, bytes);
    fs.fsyncSync(fd);
  } finally {
    closeFile(fd);
  }
}

function refused(message: string, help: string): Finding {
  return { area: 'run', level: 'problem', message, help };
}
