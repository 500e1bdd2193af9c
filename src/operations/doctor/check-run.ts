import fs from 'node:fs';
import { basename } from 'node:path';
import { StateFold } from '../../engine/fold-state.ts';
import { closeFile } from '../../model/close-file.ts';
import { errnoWords } from '../../model/describe-failure.ts';
import type { RunId } from '../../model/ids.ts';
import { holderHelp, holderText } from '../../store/describe-held.ts';
import { errnoOf } from '../../store/errno.ts';
import { type JournalDamage, visitJournal } from '../../store/journal-file.ts';
import { type RunPaths, runPaths } from '../../store/layout.ts';
import { acquireLock } from '../../store/lock.ts';
import { copyPlain, openPlainTo } from '../../store/plain-file.ts';
import { syncFolder } from '../../store/write-whole.ts';
import { describeDamage } from '../problems/runs.ts';
import type { Finding } from './finding.ts';

/** Checks the journal of a run; if it is damaged, reports what can be saved. */
export function checkRun(workspace: string, runId: RunId): readonly Finding[] {
  const fold = new StateFold();
  let records = 0;
  const journal = visitJournal(runPaths(workspace, runId).journal, {
    visit(event) {
      fold.apply(event);
      records += 1;
    },
  });
  const completed = fold.state?.totals.steps_completed ?? 0;
  if (journal.type === 'error') return damageFindings(runId, journal.error, completed);
  const { tornBytes } = journal.value;
  const findings: Finding[] = [
    {
      area: 'run',
      level: 'ok',
      message: `the journal is intact: ${records} records, ${completed} completed steps`,
    },
  ];
  if (tornBytes > 0) {
    findings.push({
      area: 'run',
      level: 'note',
      message: `the last ${tornBytes} bytes are an unfinished record`,
      help: 'nothing to do: resuming removes it',
    });
  }
  return findings;
}

function damageFindings(runId: RunId, damage: JournalDamage, completed: number): readonly Finding[] {
  const problem: Finding = { area: 'run', level: 'problem', ...describeDamage(runId, damage) };
  if (!('recordsBefore' in damage)) return [problem];
  return [
    problem,
    {
      area: 'run',
      level: 'note',
      message: `${damage.recordsBefore} records with ${completed} completed steps before the damage are intact`,
    },
  ];
}

/** Truncates a damaged journal before the damage and keeps a copy. Returns what was done, or why not. */
export function cutRun(workspace: string, runId: RunId): Finding {
  const paths = runPaths(workspace, runId);
  try {
    const acquired = acquireLock(paths.lock);
    if (acquired.type === 'error')
      return refused(
        `the run is being run by ${holderText(acquired.error)}`,
        holderHelp(acquired.error) ?? 'nothing was changed',
      );
    try {
      return cut(paths, runId);
    } finally {
      acquired.value.release();
    }
  } catch (cause) {
    return refused(
      `cannot truncate the journal: ${errnoWords(errnoOf(cause))}`,
      'nothing is lost: the damaged journal is still there, or kept beside it',
    );
  }
}

/** The lock is held, so no other process writes to it. */
function cut(paths: RunPaths, runId: RunId): Finding {
  const journal = visitJournal(paths.journal, { visit() {} });
  if (journal.type === 'ok')
    return { area: 'run', level: 'ok', message: 'the journal is intact: nothing to truncate' };
  const damage = journal.error;
  if (!('recordsBefore' in damage)) return refused(damage.message, 'nothing was changed');
  const kept = `${paths.journal}.damaged-${Date.now()}`;
  copyPlain(paths.journal, kept);
  syncFolder(paths.directory);
  cutAt(paths.journal, damage.offset);
  return {
    area: 'run',
    level: 'ok',
    message: `truncated at line ${damage.line}; the damaged journal is kept as ${basename(kept)}`,
    help: `resume with \`orchestrate resume ${runId}\``,
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
