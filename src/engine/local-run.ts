/**
 * The life of a run on this machine: lock, journal, program, views, end.
 *
 *   (new) ──start──▶ running ──▶ completed
 *                     │  ▲  └──▶ failed ─────────┐
 *                     │  └──── waiting ◀─────────┤ resume
 *                     ├──────▶ interrupted ──────┘
 *                     └──────▶ cancelled
 *
 * R1 The lock is held from before the first byte is written until after the last (J5).
 * R2 Everything recorded goes: journal → state → listeners, in that order (J2).
 * R3 A run ends with a record of its end. Where the journal itself cannot be written there is none, and the run can be resumed.
 * R4 No effect is under way when the run has ended, and no process of it is left.
 */
import fs from 'node:fs';
import type { Answer, JournalEvent, Progress, RunEvent, RunStatus } from '../model/event.ts';
import type { Failure } from '../model/failure.ts';
import type { RunId, StepKey } from '../model/ids.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../model/json.ts';
import { error, ok, type Result } from '../model/result.ts';
import {
  createJournal,
  type JournalDamage,
  type JournalFile,
  JournalWriteError,
  openJournal,
} from '../store/journal-file.ts';
import { answerFile, type RunPaths, runPaths } from '../store/layout.ts';
import { acquireLock, type Held, type Lock } from '../store/lock.ts';
import type { EffectImplementations, Programs, RunSite } from './durable.ts';
import { StateFold } from './fold-state.ts';
import { createLocalDurable, LocalWork } from './local-durable.ts';
import { emptyRecord, type Recorded, recordedIn } from './recorded.ts';
import { StateFile } from './state-file.ts';

/** Why a run is stopped from outside; the reason of the signal given to it. */
export type RunStop =
  | { readonly type: 'interrupted'; readonly signal: string }
  | { readonly type: 'cancelled' };

type Stop =
  | RunStop
  | { readonly type: 'suspended' }
  | { readonly type: 'journal-failed'; readonly failure: Failure };

export interface RunHost<Effects> {
  readonly programs: Programs<Effects>;
  readonly effects: EffectImplementations<Effects>;
  /** Before a run is gone on with: ends what a dead owner left running and clears away what it left half done. Answers the pids. */
  takeOver(site: RunSite): Promise<readonly number[]>;
  /** At the end of a run: ends what it left running. */
  endLeftovers(site: RunSite): Promise<readonly number[]>;
  /** Everything that happens, as it happens. */
  onEvent(event: RunEvent): void;
  /** Takes secrets out of what is about to be written down. */
  redact?(event: JournalEvent): JournalEvent;
}

export interface NewRun {
  readonly workspace: string;
  readonly runId: RunId;
  readonly kind: string;
  readonly title: string;
  readonly program: string;
  readonly input: JsonValue;
  readonly facts: JsonObject;
  /** Records taken over from another run: the part that a fork shares with it. */
  readonly shared?: readonly JournalEvent[];
}

export interface ResumedRun {
  readonly workspace: string;
  readonly runId: RunId;
  /** An accepted change of the run's definition. */
  readonly change?: { readonly input: JsonValue; readonly facts: JsonObject };
}

export interface RunEnd {
  readonly runId: RunId;
  readonly status: Exclude<RunStatus, 'running'>;
  readonly output?: JsonValue;
  readonly failure?: Failure;
  readonly signal?: string;
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
    fs.mkdirSync(paths.logs, { recursive: true, mode: 0o700 });
    const locked = acquireLock(paths.lock);
    if (locked.type === 'error') return error({ type: 'held', held: locked.error });
    const journal = createJournal(paths.journal);
    const owned = new OwnedRun(host, run, { paths, lock: locked.value, journal });
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
    };
    const shared = run.shared ?? [];
    return ok(
      await owned.run(
        { program: run.program, input: run.input },
        {
          recorded: shared.length === 0 ? emptyRecord() : recordedIn(shared),
          first: [started, ...shared],
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
    const locked = acquireLock(paths.lock);
    if (locked.type === 'error') return error({ type: 'held', held: locked.error });
    const lock = locked.value;
    const opened = openJournal(paths.journal);
    if (opened.type === 'error') {
      lock.release();
      return error({ type: 'damaged', damage: opened.error });
    }
    const { journal, events, cutBytes } = opened.value;
    const begun = events.find((event) => event.type === 'run-started');
    if (begun === undefined) {
      lock.release();
      return error({ type: 'no-such-run' });
    }
    const ended = lastEnd(events);
    if (ended !== undefined && (ended.status === 'completed' || ended.status === 'cancelled')) {
      lock.release();
      return ok(endOf(begun.runId, ended));
    }
    const owned = new OwnedRun(host, run, { paths, lock, journal });
    const leftovers = await host.takeOver(owned.site);
    owned.replay(events);
    const resumed: JournalEvent = {
      type: 'run-resumed',
      at: new Date().toISOString(),
      ...(lock.tookOver === undefined
        ? {}
        : { tookOver: { pid: lock.tookOver.pid, host: lock.tookOver.host } }),
      ...(leftovers.length === 0 ? {} : { endedProcesses: leftovers }),
      ...(cutBytes === 0 ? {} : { cutBytes }),
      ...run.change,
    };
    return ok(
      await owned.run(
        { program: begun.program, input: run.change?.input ?? lastInput(events) ?? begun.input },
        { recorded: recordedIn([...events, resumed]), first: [resumed], signal },
      ),
    );
  } catch (problem) {
    return error(cannotWrite(problem, paths.directory));
  }
}

interface Owned {
  readonly paths: RunPaths;
  readonly lock: Lock;
  readonly journal: JournalFile;
}

interface Beginning {
  readonly recorded: Recorded;
  readonly first: readonly JournalEvent[];
  readonly signal: AbortSignal;
}

/** How often a run looks for answers to its questions. */
const ANSWER_POLL_MS = 250;

class OwnedRun<Effects> {
  readonly site: RunSite;
  readonly #host: RunHost<Effects>;
  readonly #runId: RunId;
  readonly #owned: Owned;
  readonly #fold = new StateFold();
  readonly #stateFile: StateFile;
  readonly #stop = new AbortController();

  constructor(
    host: RunHost<Effects>,
    run: { readonly workspace: string; readonly runId: RunId },
    owned: Owned,
  ) {
    this.#host = host;
    this.#runId = run.runId;
    this.#owned = owned;
    this.#stateFile = new StateFile(owned.paths.state, () => this.#fold.state);
    this.site = { runId: run.runId, directory: owned.paths.directory, workspace: run.workspace };
  }

  /** Brings the views to where the journal is. */
  replay(events: readonly JournalEvent[]): void {
    for (const event of events) this.#fold.apply(event);
  }

  async run(
    call: { readonly program: string; readonly input: JsonValue },
    beginning: Beginning,
  ): Promise<RunEnd> {
    const forward = () => this.#stop.abort(beginning.signal.reason);
    beginning.signal.addEventListener('abort', forward, { once: true });
    if (beginning.signal.aborted) forward();
    const work = new LocalWork<Effects>({
      programs: this.#host.programs,
      effects: this.#host.effects as never,
      site: this.site,
      recorded: beginning.recorded,
      signal: this.#stop.signal,
      record: (event) => this.#record(event),
      recordSoon: (event) => this.#recordSoon(event),
      show: (key, progress) => this.#show(key, progress),
      findAnswer: (key) => this.#findAnswer(key),
      idle: () => this.#stop.abort({ type: 'suspended' } satisfies Stop),
    });
    const answers = setInterval(() => {
      for (const key of work.waitingFor) {
        const answer = this.#findAnswer(key);
        if (answer !== undefined) work.deliver(key, answer);
      }
    }, ANSWER_POLL_MS);
    try {
      for (const event of beginning.first) this.#recordSoon(event);
      const end = await this.#runProgram(work, call);
      await work.settled();
      await this.#host.endLeftovers(this.site);
      return await this.#finish(end);
    } finally {
      clearInterval(answers);
      beginning.signal.removeEventListener('abort', forward);
      this.#stateFile.close();
      this.#owned.journal.close();
      this.#owned.lock.release();
    }
  }

  async #runProgram(
    work: LocalWork<Effects>,
    call: { readonly program: string; readonly input: JsonValue },
  ): Promise<RunEnd> {
    const runId = this.#runId;
    const program = this.#host.programs[call.program];
    if (program === undefined) throw new Error(`there is no program \`${call.program}\``);
    try {
      const output = await program(createLocalDurable(work, ''), call.input);
      const failure = isJsonObject(output) ? (output['failure'] as Failure | undefined) : undefined;
      return failure === undefined
        ? { runId, status: 'completed', output }
        : { runId, status: 'failed', output, failure };
    } catch (problem) {
      if (problem instanceof JournalWriteError)
        return { runId, status: 'failed', failure: journalFailure(problem) };
      if (this.#stop.signal.aborted && problem === this.#stop.signal.reason) return this.#stopped();
      this.#stop.abort(problem);
      return { runId, status: 'failed', failure: { type: 'internal-error', message: stackOf(problem) } };
    }
  }

  #stopped(): RunEnd {
    const runId = this.#runId;
    const stop = this.#stop.signal.reason as Stop;
    switch (stop.type) {
      case 'interrupted':
        return { runId, status: 'interrupted', signal: stop.signal };
      case 'cancelled':
        return { runId, status: 'cancelled', failure: { type: 'cancelled' } };
      case 'suspended':
        return { runId, status: 'waiting' };
      case 'journal-failed':
        return { runId, status: 'failed', failure: stop.failure };
    }
  }

  /** R3. */
  async #finish(end: RunEnd): Promise<RunEnd> {
    try {
      await this.#record({
        type: 'run-ended',
        at: new Date().toISOString(),
        status: end.status,
        ...(end.output === undefined ? {} : { output: end.output }),
        ...(end.failure === undefined ? {} : { failure: end.failure }),
        ...(end.signal === undefined ? {} : { signal: end.signal }),
      });
      this.#stateFile.writeNow();
      return end;
    } catch (problem) {
      const failure =
        end.failure ??
        (problem instanceof JournalWriteError
          ? journalFailure(problem)
          : fileFailure('write', this.#owned.paths.state, problem));
      return { runId: this.#runId, status: 'failed', failure };
    }
  }

  async #record(given: JournalEvent): Promise<void> {
    const event = this.#host.redact?.(given) ?? given;
    try {
      await this.#owned.journal.append(event);
    } catch (problem) {
      throw this.#journalFailed(problem);
    }
    this.#told(event);
  }

  #recordSoon(given: JournalEvent): void {
    const event = this.#host.redact?.(given) ?? given;
    try {
      this.#owned.journal.appendNow(event);
    } catch (problem) {
      throw this.#journalFailed(problem);
    }
    this.#told(event);
  }

  #journalFailed(problem: unknown): unknown {
    if (!(problem instanceof JournalWriteError)) return problem;
    this.#stop.abort({ type: 'journal-failed', failure: journalFailure(problem) } satisfies Stop);
    return this.#stop.signal.reason;
  }

  #told(event: JournalEvent): void {
    this.#fold.apply(event);
    this.#stateFile.changed();
    this.#host.onEvent(event);
  }

  #show(key: StepKey, progress: Progress): void {
    this.#host.onEvent({ type: 'progress', at: new Date().toISOString(), key, progress });
  }

  #findAnswer(key: StepKey): Answer | undefined {
    const question = this.#fold.state?.waiting_for?.[key];
    try {
      const given: unknown = JSON.parse(fs.readFileSync(answerFile(this.#owned.paths, key), 'utf8'));
      if (isJsonObject(given) && typeof given['choice'] === 'string') {
        return {
          type: 'chosen',
          choice: given['choice'],
          ...(typeof given['comment'] === 'string' ? { comment: given['comment'] } : {}),
          ...(typeof given['by'] === 'string' ? { by: given['by'] } : {}),
        };
      }
    } catch {
      // No answer yet: the file is written whole or not at all.
    }
    if (question?.expires_at !== undefined && Date.parse(question.expires_at) <= Date.now()) {
      return { type: 'expired', ...(question.default === undefined ? {} : { choice: question.default }) };
    }
    return undefined;
  }
}

function lastEnd(events: readonly JournalEvent[]): Extract<JournalEvent, { type: 'run-ended' }> | undefined {
  const last = events.at(-1);
  return last?.type === 'run-ended' ? last : undefined;
}

/** The input as of the last accepted change. */
function lastInput(events: readonly JournalEvent[]): JsonValue | undefined {
  const changed = events.findLast((event) => event.type === 'run-resumed' && event.input !== undefined);
  return changed?.type === 'run-resumed' ? changed.input : undefined;
}

function endOf(runId: RunId, ended: Extract<JournalEvent, { type: 'run-ended' }>): RunEnd {
  return {
    runId,
    status: ended.status,
    ...(ended.output === undefined ? {} : { output: ended.output }),
    ...(ended.failure === undefined ? {} : { failure: ended.failure }),
  };
}

function journalFailure(problem: JournalWriteError): Failure {
  return { type: 'file', operation: 'write', path: problem.path, code: problem.code };
}

function fileFailure(operation: string, path: string, problem: unknown): Failure {
  return { type: 'file', operation, path, code: (problem as NodeJS.ErrnoException).code ?? 'UNKNOWN' };
}

/** Expected refusals of the disk become a problem; anything else is a bug and goes on. */
function cannotWrite(problem: unknown, path: string): ResumeProblem {
  if (problem instanceof JournalWriteError) return { type: 'cannot-write', failure: journalFailure(problem) };
  if (isStop(problem) && problem.type === 'journal-failed')
    return { type: 'cannot-write', failure: problem.failure };
  if ((problem as NodeJS.ErrnoException).code === undefined) throw problem;
  return { type: 'cannot-write', failure: fileFailure('write', path, problem) };
}

function isStop(problem: unknown): problem is Stop {
  return typeof problem === 'object' && problem !== null && 'type' in problem && !(problem instanceof Error);
}

function stackOf(problem: unknown): string {
  return problem instanceof Error ? (problem.stack ?? problem.message) : String(problem);
}
