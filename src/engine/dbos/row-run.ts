/**
 * The life of a run whose journal is rows: the same as that of a local run (R1–R4 of `local-run.ts`), but the fence between owners is the
 * key of the rows (B3), and the run's folder with its lock and its journal file is a view, which follows the owner.
 */
import { randomUUID } from 'node:crypto';
import fs from 'node:fs';
import { defined } from '../../model/defined.ts';
import type { JournalEvent } from '../../model/event.ts';
import { error, ok, type Result } from '../../model/result.ts';
import {
  type JournalFile,
  JournalWriteError,
  openJournal,
  replaceJournal,
} from '../../store/journal-file.ts';
import { type RunPaths, runPaths } from '../../store/layout.ts';
import { acquireLock, HEARTBEAT_MS, type Lock } from '../../store/lock.ts';
import { removeFile } from '../../store/remove-file.ts';
import {
  beginRun,
  continueRun,
  firstRecords,
  type NewRun,
  type RunToContinue,
  resumedAlready,
} from '../carry-run.ts';
import { makeRunFolder } from '../make-run-folder.ts';
import { RunHistory } from '../run-history.ts';
import type { RunEnd, RunHost } from '../run-host.ts';
import { isStop } from '../run-stop.ts';
import type { Affinity } from './affinity.ts';
import type { Carrier, FilesBy } from './carrier.ts';
import { type Pool, throughOutages } from './database.ts';
import type { Freight } from './freight.ts';
import type { Listener } from './listener.ts';
import { RemoteCalls } from './remote-calls.ts';
import { RowAnswers } from './row-answers.ts';
import { eventsAfter } from './row-events.ts';
import { RowJournal, saveRows, TAKEN_OVER } from './row-journal.ts';

/** What the owner of a run needs besides its host. */
export interface RowOwner {
  readonly pool: Pool;
  readonly carrier: Carrier;
  readonly listener: Listener;
  /** This worker, which is the host of the run. */
  readonly executor: string;
  /** The version of the program: calls go to workers with the same one. */
  readonly version: string;
  readonly pollMs: number;
  readonly signal: AbortSignal;
  /** Whether this effect runs on workers. */
  travels(effect: string): boolean;
  /** Which calls belong on the machine of an earlier one. */
  readonly affinity: Affinity;
  /** If its files go with its calls. */
  readonly freight?: Freight;
  readonly filesBy: FilesBy;
  /** The dead owner. */
  readonly tookOver?: { readonly pid: number; readonly host: string } | undefined;
}

/** Another worker owns the run: this one has stopped, and writes nothing more. */
export interface LostRun {
  readonly type: 'lost-run';
}

export function startRowRun<Effects>(
  host: RunHost<Effects>,
  run: NewRun,
  owner: RowOwner,
): Promise<Result<RunEnd, LostRun>> {
  return asOwner(host, run.runId, owner, async (own, { answers }) => {
    const { pool, signal, executor } = owner;
    const { runId } = run;
    const paths = runPaths(run.workspace, runId);
    const first = firstRecords(host, run);
    const writer = randomUUID();
    await saveRows(pool, { runId, host: executor, writer, path: paths.journal }, numbered(first));
    const { lock, mirror } = takeFolder(paths, first);
    const journal = new RowJournal(pool, { runId, host: executor, writer, records: first.length }, mirror);
    return beginRun(own, run, { owned: { paths, ownership: lock, journal, answers }, first, signal });
  });
}

/** A run that has rows. */
export function resumeRowRun<Effects>(
  host: RunHost<Effects>,
  run: RunToContinue,
  owner: RowOwner,
): Promise<Result<RunEnd, LostRun>> {
  return asOwner(host, run.runId, owner, async (own, { answers, isStillRunning }) => {
    const { pool, signal } = owner;
    const { runId, workspace } = run;
    const paths = runPaths(workspace, runId);
    for (let isFirst = true; ; isFirst = false) {
      // Also for a run that is cancelled: its `finally` steps run.
      const events = await throughOutages(() => eventsAfter(pool, runId));
      const history = new RunHistory();
      for (const event of events) history.apply(event);
      const { lock, mirror } = takeFolder(paths, events);
      const journal = new RowJournal(
        pool,
        { runId, host: owner.executor, writer: randomUUID(), records: events.length },
        mirror,
      );
      const continued = await continueRun(
        isFirst ? own : resumedAlready(own),
        isFirst ? run : { runId, workspace },
        {
          owned: { paths, ownership: lock, journal, answers, history, isStillRunning },
          // A request outlives the owner it was meant for.
          requests: { clear() {} },
          cutBytes: 0,
          tookOver: isFirst ? owner.tookOver : undefined,
          signal,
        },
      );
      if (continued.type === 'ended') return continued.end;
      if (continued.type === 'no-such-run') throw new Error(`run \`${runId}\` has no first record`);
    }
  });
}

interface FromOutside {
  readonly answers: RowAnswers;
  readonly isStillRunning: RemoteCalls['isStillRunning'];
}

/** With effects that go to workers, and with answers as they come in. */
async function asOwner<Effects>(
  host: RunHost<Effects>,
  runId: string,
  owner: RowOwner,
  work: (host: RunHost<Effects>, outside: FromOutside) => Promise<RunEnd>,
): Promise<Result<RunEnd, LostRun>> {
  const { pool, carrier, version, pollMs, listener } = owner;
  const calls = new RemoteCalls({
    ...{ pool, carrier, runId, version, pollMs, affinity: owner.affinity, filesBy: owner.filesBy },
    ...defined({ freight: owner.freight }),
  });
  const answers = new RowAnswers(pool, runId);
  const refresh = (): void => {
    // The next poll reads them.
    answers.refresh().catch(() => {});
  };
  const timer = setInterval(refresh, pollMs);
  const unsubscribe = listener.subscribe((topic, id) => {
    if (id !== runId) return;
    if (topic === 'ended') calls.wake();
    if (topic === 'answer') refresh();
  });
  try {
    await throughOutages(async () => {
      await answers.refresh();
      await calls.load();
    });
    const effects = Object.entries(host.effects).map(([name, effect]) => [
      name,
      owner.travels(name) ? calls.effect(name) : effect,
    ]);
    const own = { ...host, effects: Object.fromEntries(effects) as RunHost<Effects>['effects'] };
    return await unlessLost(() => work(own, { answers, isStillRunning: calls.isStillRunning }));
  } finally {
    clearInterval(timer);
    unsubscribe();
    calls.close();
  }
}

export function numbered(events: readonly JournalEvent[]): readonly { seq: number; event: JournalEvent }[] {
  return events.map((event, index) => ({ seq: index + 1, event }));
}

/** The folder of the run, with these records in its journal file and the lock of this process, whoever had it before. */
function takeFolder(
  paths: RunPaths,
  events: readonly JournalEvent[],
): { readonly lock: Lock; readonly mirror: JournalFile } {
  if (!fs.existsSync(paths.directory)) {
    const { lock, journal } = makeRunFolder(paths, events);
    return { lock, mirror: journal };
  }
  removeFile(paths.lock);
  const locked = acquireLock(paths.lock, { heartbeatMs: HEARTBEAT_MS });
  if (locked.type === 'error')
    throw new Error(`another process of this machine works in \`${paths.directory}\``);
  replaceJournal(paths.journal, events);
  const opened = openJournal(paths.journal, { visit() {}, detail: 'essential' });
  if (opened.type === 'error') throw new Error(opened.error.message);
  return { lock: locked.value, mirror: opened.value.journal };
}

async function unlessLost(work: () => Promise<RunEnd>): Promise<Result<RunEnd, LostRun>> {
  try {
    return ok(await work());
  } catch (problem) {
    const isLost =
      (problem instanceof JournalWriteError && problem.code === TAKEN_OVER) ||
      (isStop(problem) &&
        problem.type === 'journal-failed' &&
        problem.failure.type === 'file' &&
        problem.failure.code === TAKEN_OVER);
    if (isLost) return error({ type: 'lost-run' });
    throw problem;
  }
}
