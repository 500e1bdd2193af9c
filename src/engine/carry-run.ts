/** A run whose records are open and owned by this process, from its first or next record to its end (R1–R4 of `local-run.ts`). */
import { defined } from '../model/defined.ts';
import type { JournalEvent } from '../model/event.ts';
import type { RunId, StepKey } from '../model/ids.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../model/json.ts';
import type { Requests } from './journal.ts';
import { lastInput } from './last-input.ts';
import { type Owned, OwnedRun } from './owned-run.ts';
import { emptyRecord, recordedIn } from './recorded.ts';
import type { RunHistory } from './run-history.ts';
import type { RunEnd, RunHost } from './run-host.ts';
import { sealOf } from './run-seal.ts';
import { againAt } from './run-step.ts';

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

export interface RunToContinue {
  readonly workspace: string;
  readonly runId: RunId;
  /** An accepted change of the run's definition. */
  readonly change?: { readonly input: JsonValue; readonly facts: JsonObject };
  /** Calls to repeat, in addition to those that failed. */
  readonly again?: readonly StepKey[];
  /** No person has asked for it, since its owner died: what has failed is not tried again. */
  readonly continuesItself?: boolean;
}

/** The first records of a new run: they are in its journal before anyone sees it. */
export function firstRecords<Effects>(host: RunHost<Effects>, run: NewRun): readonly JournalEvent[] {
  const { runId, kind, title, program, input, workspace, facts } = run;
  const started: JournalEvent = {
    type: 'run-started',
    at: new Date().toISOString(),
    ...{ runId, kind, title, program, input, workspace, facts },
    ...sealOf(host.seals, run),
  };
  return [started, ...(run.shared ?? [])];
}

/** `first` is in the journal. */
export function beginRun<Effects>(
  host: RunHost<Effects>,
  run: NewRun,
  { owned, first, signal }: BegunRun,
): Promise<RunEnd> {
  const shared = first.slice(1);
  return new OwnedRun(host, run, owned).run(
    { program: run.program, input: run.input },
    {
      recorded: shared.length === 0 ? emptyRecord() : recordedIn(shared),
      first: [],
      begun: first.slice(0, 1),
      shared,
      signal,
    },
  );
}

interface BegunRun {
  readonly owned: Owned;
  readonly first: readonly JournalEvent[];
  readonly signal: AbortSignal;
}

export interface OpenedRun {
  readonly owned: Owned & { readonly history: RunHistory };
  readonly requests: Requests;
  /** Bytes of a torn tail that were removed. */
  readonly cutBytes: number;
  /** The dead owner. */
  readonly tookOver?: { readonly pid: number; readonly host: string } | undefined;
}

export type Continued =
  | { readonly type: 'ended'; readonly end: RunEnd }
  | { readonly type: 'no-such-run' }
  /** The previous process died before it could record the failure. It is recorded now: continue the run again, to retry it. */
  | { readonly type: 'retry' };

export async function continueRun<Effects>(
  host: RunHost<Effects>,
  run: RunToContinue,
  { owned: opened, requests, cutBytes, tookOver, signal }: OpenedRun & { readonly signal: AbortSignal },
): Promise<Continued> {
  const { history, journal, ownership } = opened;
  const letGo = async (): Promise<void> => {
    await journal.close();
    ownership.release();
  };
  const begun = history.milestones.find((event) => event.type === 'run-started');
  if (begun === undefined) {
    await letGo();
    return { type: 'no-such-run' };
  }
  const ended = history.last?.type === 'run-ended' ? history.last : undefined;
  const isFailed = ended?.status === 'failed' && run.continuesItself === true;
  if (ended !== undefined && (ended.status === 'completed' || ended.status === 'cancelled' || isFailed)) {
    // The process may have been killed after recording the end: finish what remains.
    const over = new OwnedRun(host, run, opened);
    await host.takeOver(over.site, []);
    over.writeView();
    await letGo();
    return { type: 'ended', end: endOf(begun.runId, ended) };
  }
  // Meant for the previous owner.
  requests.clear();
  const isOldFailure = (end: Pick<RunEnd, 'status' | 'output'>): boolean =>
    ended === undefined &&
    run.continuesItself !== true &&
    end.status === 'failed' &&
    !owned.hasStartedStep &&
    hasRetryKeys(end);
  const owned: OwnedRun<Effects> = new OwnedRun(
    {
      ...host,
      onEvent: (event) => {
        // The run resumes at once, so the old failure is not shown.
        if (event.type !== 'run-ended' || !isOldFailure(event)) host.onEvent(event);
      },
    },
    run,
    opened,
  );
  // J7
  const leftovers = await host.takeOver(owned.site, history.processes.all);
  const attached = [...history.recorded.open].flatMap(([key, open]) =>
    againAt(opened, open, key) === 'attached' ? [key] : [],
  );
  const resumed: JournalEvent = {
    type: 'run-resumed',
    at: new Date().toISOString(),
    ...(tookOver === undefined ? {} : { tookOver: { pid: tookOver.pid, host: tookOver.host } }),
    ...(leftovers.length === 0 ? {} : { endedProcesses: leftovers }),
    ...(attached.length === 0 ? {} : { attached }),
    ...(cutBytes === 0 ? {} : { cutBytes }),
    ...(run.again === undefined || run.again.length === 0 ? {} : { again: run.again }),
    ...run.change,
    ...(run.change === undefined ? {} : sealOf(host.seals, { ...begun, input: run.change.input })),
  };
  history.record(resumed);
  const end = await owned.run(
    { program: begun.program, input: run.change?.input ?? lastInput(history.milestones) ?? begun.input },
    { recorded: history.recorded, first: [resumed], signal },
  );
  return isOldFailure(end) ? { type: 'retry' } : { type: 'ended', end };
}

/** For a resume that has already been reported. */
export function resumedAlready<Effects>(host: RunHost<Effects>): RunHost<Effects> {
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

function endOf(runId: RunId, ended: Extract<JournalEvent, { type: 'run-ended' }>): RunEnd {
  return {
    runId,
    status: ended.status,
    ...defined({ output: ended.output, failure: ended.failure }),
  };
}
