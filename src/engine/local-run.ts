/**
 * The life of a run on this machine: lock, journal, program, views, end.
 *
 *   (new) ──start──▶ running ──▶ completed
 *                     │  ▲  └──▶ failed ─────────┐
 *                     │  └──── waiting ◀─────────┤ resume
 *                     ├──────▶ interrupted ──────┘
 *                     └──────▶ cancelled
 *
 * R1 The lock is held from before the first byte is written until after the last (J5). A run becomes visible only with both: `make-run-folder.ts`.
 * R2 Everything recorded goes: journal → state → listeners, in that order (J2).
 * R3 A run ends with a record of its end. If the journal itself cannot be written there is none, and the run can be resumed.
 * R4 When the run has ended, none of its effects or processes is still running.
 * R5 An answer or a cancellation that comes while the run stops to wait is taken up: whoever gave it saw a process that owns the run. So the run
 *    looks once more when it has released the lock; an answer is written before anyone looks at the lock.
 */
import fs from 'node:fs';
import type { Failure } from '../model/failure.ts';
import { error, ok, type Result } from '../model/result.ts';
import { type JournalDamage, JournalWriteError } from '../store/journal-file.ts';
import { type RunPaths, runPaths } from '../store/layout.ts';
import { acquireLock, HEARTBEAT_MS, type Held } from '../store/lock.ts';
import { removeFile } from '../store/remove-file.ts';
import {
  beginRun,
  continueRun,
  firstRecords,
  type NewRun,
  type OpenedRun,
  type RunToContinue,
  resumedAlready,
} from './carry-run.ts';
import { fileAnswers } from './file-answers.ts';
import { isAnswered } from './journal.ts';
import { makeRunFolder } from './make-run-folder.ts';
import { openWithHistory, type RunHistory } from './run-history.ts';
import type { RunEnd, RunHost } from './run-host.ts';
import { fileFailure, isStop, journalFailure, type RunStop } from './run-stop.ts';

export type { NewRun } from './carry-run.ts';
export type { RunEnd, RunHost } from './run-host.ts';
export type { RunStop } from './run-stop.ts';

export interface ResumedRun extends RunToContinue {
  /** Its journal, if it was read to prepare this: it is not read again unless it has changed. Used up. */
  readonly history?: RunHistory;
}

export type ResumeProblem =
  | { readonly type: 'no-such-run' }
  | { readonly type: 'held'; readonly held: Held }
  | { readonly type: 'damaged'; readonly damage: JournalDamage }
  | { readonly type: 'cannot-write'; readonly failure: Failure };

export async function startRun<Effects>(
  host: RunHost<Effects>,
  run: NewRun,
  signal: AbortSignal,
): Promise<Result<RunEnd, ResumeProblem>> {
  const paths = runPaths(run.workspace, run.runId);
  try {
    const first = firstRecords(host, run);
    const { lock, journal } = makeRunFolder(paths, first);
    const owned = { paths, ownership: lock, journal, answers: fileAnswers(paths) };
    return await takenUp(host, run, { end: await beginRun(host, run, { owned, first, signal }), signal });
  } catch (problem) {
    return error(cannotWrite(problem, paths.directory));
  }
}

export async function resumeRun<Effects>(
  host: RunHost<Effects>,
  run: ResumedRun,
  signal: AbortSignal,
): Promise<Result<RunEnd, ResumeProblem>> {
  const paths = runPaths(run.workspace, run.runId);
  if (!fs.existsSync(paths.journal)) return error({ type: 'no-such-run' });
  try {
    const opened = open(paths, run.history);
    if (opened.type === 'error') return opened;
    const { workspace, runId } = run;
    const continued = await continueRun(host, run, { ...opened.value, signal });
    if (continued.type === 'ended') return await takenUp(host, run, { end: continued.end, signal });
    return continued.type === 'retry'
      ? resumeRun(resumedAlready(host), { workspace, runId }, signal)
      : error({ type: 'no-such-run' });
  } catch (problem) {
    return error(cannotWrite(problem, paths.directory));
  }
}

/** R5 */
async function takenUp<Effects>(
  host: RunHost<Effects>,
  { workspace, runId }: Pick<NewRun, 'workspace' | 'runId'>,
  { end, signal }: { readonly end: RunEnd; readonly signal: AbortSignal },
): Promise<Result<RunEnd, ResumeProblem>> {
  if (end.status !== 'waiting') return ok(end);
  const answers = fileAnswers(runPaths(workspace, runId));
  const isCancelled = signal.aborted && (signal.reason as RunStop).type === 'cancelled';
  if (!isCancelled && !isAnswered(answers, end.questions)) return ok(end);
  const resumed = await resumeRun(resumedAlready(host), { workspace, runId }, signal);
  // Whoever resumes a waiting run takes the answer up too.
  return resumed.type === 'error' && resumed.error.type === 'held' ? ok(end) : resumed;
}

function open(paths: RunPaths, earlier: RunHistory | undefined): Result<OpenedRun, ResumeProblem> {
  const locked = acquireLock(paths.lock, { heartbeatMs: HEARTBEAT_MS });
  if (locked.type === 'error') return error({ type: 'held', held: locked.error });
  const lock = locked.value;
  const opened = openWithHistory(paths.journal, earlier);
  if (opened.type === 'error') {
    lock.release();
    return error({ type: 'damaged', damage: opened.error });
  }
  const { journal, history, cutBytes } = opened.value;
  return ok({
    owned: { paths, ownership: lock, journal, answers: fileAnswers(paths), history },
    requests: { clear: () => removeFile(paths.cancelRequest) },
    cutBytes,
    tookOver: lock.tookOver,
  });
}

/** Expected disk errors become a problem; anything else is a bug and is thrown. */
function cannotWrite(problem: unknown, path: string): ResumeProblem {
  if (problem instanceof JournalWriteError) return { type: 'cannot-write', failure: journalFailure(problem) };
  if (isStop(problem) && problem.type === 'journal-failed') {
    return { type: 'cannot-write', failure: problem.failure };
  }
  if ((problem as NodeJS.ErrnoException).code === undefined) throw problem;
  return { type: 'cannot-write', failure: fileFailure('write', path, problem) };
}
