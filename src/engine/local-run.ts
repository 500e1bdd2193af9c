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
 */
import fs from 'node:fs';
import { defined } from '../model/defined.ts';
import type { JournalEvent } from '../model/event.ts';
import type { Failure } from '../model/failure.ts';
import type { RunId } from '../model/ids.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../model/json.ts';
import { error, ok, type Result } from '../model/result.ts';
import { type JournalDamage, JournalWriteError } from '../store/journal-file.ts';
import { runPaths } from '../store/layout.ts';
import { acquireLock, HEARTBEAT_MS, type Held } from '../store/lock.ts';
import { removeFile } from '../store/remove-file.ts';
import { lastInput } from './last-input.ts';
import { makeRunFolder } from './make-run-folder.ts';
import { OwnedRun } from './owned-run.ts';
import { emptyRecord, recordedIn } from './recorded.ts';
import { openWithHistory, type RunHistory } from './run-history.ts';
import type { RunEnd, RunHost } from './run-host.ts';
import { sealOf } from './run-seal.ts';
import { fileFailure, isStop, journalFailure } from './run-stop.ts';

export type { RunEnd, RunHost } from './run-host.ts';
export type { RunStop } from './run-stop.ts';

export interface NewRun {
  readonly workspace: string;
  readonly runId: RunId;
  readonly kind: string;
  readonly title: string;
  readonly program: string;
  readonly input: JsonValue;
  readonly facts: JsonObject;
  /** Records copied from another run: the part that a fork shares with it. */
  readonly shared?: readonly JournalEvent[];
}

export interface ResumedRun {
  readonly workspace: string;
  readonly runId: RunId;
  /** An accepted change of the run's definition. */
  readonly change?: { readonly input: JsonValue; readonly facts: JsonObject };
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
    const started: JournalEvent = {
      type: 'run-started',
      at: new Date().toISOString(),
      runId: run.runId,
      kind: run.kind,
      title: run.title,
      program: run.program,
      input: run.input,
      workspace: run.workspace,
      facts: run.facts,
      ...sealOf(host.seals, run),
    };
    const shared = run.shared ?? [];
    const owned = new OwnedRun(host, run, { paths, ...makeRunFolder(paths, [started, ...shared]) });
    return ok(
      await owned.run(
        { program: run.program, input: run.input },
        {
          recorded: shared.length === 0 ? emptyRecord() : recordedIn(shared),
          first: [],
          begun: [started],
          shared,
          signal,
        },
      ),
    );
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
    const locked = acquireLock(paths.lock, { heartbeatMs: HEARTBEAT_MS });
    if (locked.type === 'error') return error({ type: 'held', held: locked.error });
    const lock = locked.value;
    const opened = openWithHistory(paths.journal, run.history);
    if (opened.type === 'error') {
      lock.release();
      return error({ type: 'damaged', damage: opened.error });
    }
    const { journal, history, cutBytes } = opened.value;
    const letGo = (): void => {
      journal.close();
      lock.release();
    };
    const begun = history.milestones.find((event) => event.type === 'run-started');
    if (begun === undefined) {
      letGo();
      return error({ type: 'no-such-run' });
    }
    const ended = history.last?.type === 'run-ended' ? history.last : undefined;
    if (ended !== undefined && (ended.status === 'completed' || ended.status === 'cancelled')) {
      // The process may have been killed after recording the end: finish what remains.
      const over = new OwnedRun(host, run, { paths, lock, journal, history });
      await host.takeOver(over.site, []);
      over.writeView();
      letGo();
      return ok(endOf(begun.runId, ended));
    }
    // Meant for the previous owner.
    removeFile(paths.cancelRequest);
    const isOldFailure = (end: Pick<RunEnd, 'status' | 'output'>): boolean =>
      ended === undefined && end.status === 'failed' && !owned.hasStartedStep && hasRetryKeys(end);
    const owned: OwnedRun<Effects> = new OwnedRun(
      {
        ...host,
        onEvent: (event) => {
          // The run resumes at once, so the old failure is not shown.
          if (event.type !== 'run-ended' || !isOldFailure(event)) host.onEvent(event);
        },
      },
      run,
      { paths, lock, journal, history },
    );
    const leftovers = await host.takeOver(owned.site, history.processes.all);
    const resumed: JournalEvent = {
      type: 'run-resumed',
      at: new Date().toISOString(),
      ...(lock.tookOver === undefined
        ? {}
        : { tookOver: { pid: lock.tookOver.pid, host: lock.tookOver.host } }),
      ...(leftovers.length === 0 ? {} : { endedProcesses: leftovers }),
      ...(cutBytes === 0 ? {} : { cutBytes }),
      ...run.change,
      ...(run.change === undefined ? {} : sealOf(host.seals, { ...begun, input: run.change.input })),
    };
    history.record(resumed);
    const end = await owned.run(
      { program: begun.program, input: run.change?.input ?? lastInput(history.milestones) ?? begun.input },
      { recorded: history.recorded, first: [resumed], signal },
    );
    // The previous process died before it could record the failure. It is recorded now, and the run is retried.
    return isOldFailure(end) ? resumeRun(resumedAlready(host), withoutChange(run), signal) : ok(end);
  } catch (problem) {
    return error(cannotWrite(problem, paths.directory));
  }
}

/** For a resume that has already been reported. */
function resumedAlready<Effects>(host: RunHost<Effects>): RunHost<Effects> {
  return {
    ...host,
    onEvent: (event) => {
      if (event.type !== 'run-resumed') host.onEvent(event);
    },
  };
}

function hasRetryKeys({ output }: Pick<RunEnd, 'output'>): boolean {
  const keys = isJsonObject(output) ? output['retryKeys'] : undefined;
  return Array.isArray(keys) && keys.length > 0;
}

function withoutChange({ workspace, runId }: ResumedRun): ResumedRun {
  return { workspace, runId };
}

function endOf(runId: RunId, ended: Extract<JournalEvent, { type: 'run-ended' }>): RunEnd {
  return {
    runId,
    status: ended.status,
    ...defined({ output: ended.output, failure: ended.failure }),
  };
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
