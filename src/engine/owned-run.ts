/** A run while this process owns it: from acquiring the lock to recording the end (R1–R4). */
import { setMaxListeners } from 'node:events';
import { defined } from '../model/defined.ts';
import type { Answer, JournalEvent, Progress } from '../model/event.ts';
import type { Failure } from '../model/failure.ts';
import type { RunId, StepKey } from '../model/ids.ts';
import { isJsonObject, type JsonValue } from '../model/json.ts';
import { unreachable } from '../model/unreachable.ts';
import { uptimeMs } from '../model/uptime.ts';
import { JournalWriteError } from '../store/journal-file.ts';
import { answerFile, type RunPaths } from '../store/layout.ts';
import type { RunSite } from './durable.ts';
import { StateFold } from './fold-state.ts';
import type { Answers, Journal, Ownership } from './journal.ts';
import { createLocalDurable, LocalWork } from './local-durable.ts';
import type { Recorded } from './recorded.ts';
import type { RunHistory } from './run-history.ts';
import type { OpenQuestions, RunEnd, RunHost } from './run-host.ts';
import { RunPlace } from './run-place.ts';
import { endSignalOf, fileFailure, isStop, journalFailure, type Stop } from './run-stop.ts';
import { StateFile } from './state-file.ts';
import type { ViewedRun } from './state-text.ts';

export interface Owned {
  readonly paths: RunPaths;
  readonly ownership: Ownership;
  readonly journal: Journal;
  readonly answers: Answers;
  /** Whether an attempt of an earlier owner still runs elsewhere. */
  readonly isStillRunning?: (key: StepKey, attempt: number) => boolean;
  /** What the journal contained before. */
  readonly history?: RunHistory;
}

export interface Beginning {
  readonly recorded: Recorded;
  /** Records to write first. */
  readonly first: readonly JournalEvent[];
  /** Already in the journal, not yet shown. */
  readonly begun?: readonly JournalEvent[];
  /** In the journal after them and never shown: they happened in another run. */
  readonly shared?: readonly JournalEvent[];
  readonly signal: AbortSignal;
}

/** How often a run checks for answers to its questions. */
const ANSWER_POLL_MS = 250;

export class OwnedRun<Effects> {
  readonly site: RunSite;
  readonly #host: RunHost<Effects>;
  readonly #runId: RunId;
  readonly #owned: Owned;
  readonly #fold: StateFold;
  readonly #stateFile: StateFile;
  readonly #stop = new AbortController();
  #hasStartedStep = false;
  #isOver = false;
  /** Number of records the state includes. */
  #applied: number;
  /** When this process began to work, by `uptimeMs`, and how long earlier ones had. */
  #work: { readonly since: number; readonly before: number } | undefined;
  /** Runs from the first question on. */
  #answerTimer: NodeJS.Timeout | undefined;
  #lookForAnswers: () => boolean = () => false;
  /** Those for whose answers it stops to wait. */
  #questions: OpenQuestions = {};

  constructor(
    host: RunHost<Effects>,
    run: { readonly workspace: string; readonly runId: RunId },
    owned: Owned,
  ) {
    this.#host = host;
    this.#runId = run.runId;
    this.#owned = owned;
    this.#fold = owned.history?.fold ?? new StateFold();
    this.#applied = owned.history?.records ?? 0;
    this.#stateFile = new StateFile(owned.paths.state, () => this.#viewed(), this.#applied);
    this.site = { runId: run.runId, directory: owned.paths.directory, workspace: run.workspace };
  }

  #apply(event: JournalEvent): void {
    this.#fold.apply(event);
    this.#applied += 1;
  }

  /** Whole ms of a monotonic clock, so that the durations of successive steps never add up to more than their container's. */
  #workedMs(): number {
    this.#work ??= { since: uptimeMs(), before: this.#fold.state?.duration_ms ?? 0 };
    return this.#work.before + Math.floor(uptimeMs() - this.#work.since);
  }

  #viewed(): ViewedRun | undefined {
    const { state } = this.#fold;
    if (state === undefined) return undefined;
    const { mark } = this.#owned.journal;
    return { state, journal: mark.records === this.#applied ? mark : undefined };
  }

  async run(
    call: { readonly program: string; readonly input: JsonValue },
    beginning: Beginning,
  ): Promise<RunEnd> {
    // Every active or waiting call adds a listener, so many listeners are not a leak.
    setMaxListeners(0, this.#stop.signal);
    const forward = () => this.#stop.abort(beginning.signal.reason);
    beginning.signal.addEventListener('abort', forward, { once: true });
    if (beginning.signal.aborted) forward();
    const end = endSignalOf(this.#stop.signal);
    const work = new LocalWork({
      effects: this.#host.effects as never,
      site: this.site,
      recorded: beginning.recorded,
      signal: this.#stop.signal,
      endSignal: end.signal,
      record: (event) => this.#record(event),
      recordSoon: (event) => this.#recordSoon(event),
      ...defined({ isStillRunning: this.#owned.isStillRunning }),
      workedMs: () => this.#workedMs(),
      show: (key, progress) => this.#show(key, progress),
      writeState: () => this.writeView(),
      expectInPlace: () => {
        const moved = place?.problem();
        if (moved !== undefined) throw { type: 'moved', failure: moved } satisfies Stop;
      },
      isInPlace: () => place?.problem() === undefined,
      findAnswer: (key) => this.#findAnswerOrWatch(key),
      announce: (event) => this.#host.onEvent(event),
      forgetAnswer: (key) => this.#forgetAnswer(key),
      ...defined({ rehearsal: this.#host.rehearsal }),
      redact: (data) => this.#host.redact?.(data) ?? data,
      idle: () => {
        if (this.#lookForAnswers()) return;
        if (this.#stop.signal.aborted) return end.endNow();
        this.#questions = this.#openQuestions(work.waitingFor);
        this.#stop.abort({ type: 'suspended' } satisfies Stop);
      },
    });
    this.#lookForAnswers = () => {
      const found = [...work.waitingFor].map((key) => [key, this.#findAnswer(key)] as const);
      for (const [key, answer] of found) if (answer !== undefined) work.deliver(key, answer);
      return found.some(([, answer]) => answer !== undefined);
    };
    let place: RunPlace | undefined;
    this.#workedMs();
    try {
      place = new RunPlace(this.site.workspace, this.#owned.paths);
      for (const event of beginning.begun ?? []) this.#publish(event);
      for (const event of beginning.shared ?? []) this.#apply(event);
      for (const event of beginning.first) this.#recordSoon(event);
      const ended = await this.#runProgram(work, call);
      await work.end((reason) => this.#stop.abort(reason));
      this.#isOver = true;
      await this.#host.endLeftovers(this.site);
      return await this.#finish(this.#judged(ended, place));
    } finally {
      end.dispose();
      clearInterval(this.#answerTimer);
      beginning.signal.removeEventListener('abort', forward);
      this.#stateFile.close();
      await this.#owned.journal.close();
      this.#owned.ownership.release();
      place?.close();
    }
  }

  async #runProgram(
    work: LocalWork,
    call: { readonly program: string; readonly input: JsonValue },
  ): Promise<RunEnd> {
    const runId = this.#runId;
    const program = this.#host.programs[call.program];
    if (program === undefined) throw new Error(`unknown program \`${call.program}\``);
    try {
      const output = await program(createLocalDurable(work, ''), call.input, this.#stop.signal);
      const failure = isJsonObject(output) ? (output['failure'] as Failure | undefined) : undefined;
      return failure === undefined
        ? { runId, status: 'completed', output }
        : { runId, status: 'failed', output, failure };
    } catch (problem) {
      if (isStop(problem) && (problem.type === 'journal-failed' || problem.type === 'moved'))
        return { runId, status: 'failed', failure: problem.failure };
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
        return { runId, status: 'waiting', questions: this.#questions };
      case 'journal-failed':
      case 'moved':
        return { runId, status: 'failed', failure: stop.failure };
      default:
        return unreachable(stop);
    }
  }

  /** Work done in a folder that has since moved does not count as completed. */
  #judged(end: RunEnd, place: RunPlace): RunEnd {
    const moved = place.problem();
    if (moved === undefined) return end;
    this.#follow(place);
    return end.status === 'completed' || end.status === 'failed'
      ? { ...end, status: 'failed', failure: moved }
      : end;
  }

  /** The view and the lock follow the journal to its new place, so that the run can be resumed there. */
  #follow(place: RunPlace): void {
    const paths = place.pathsNow();
    if (paths === undefined) return;
    this.#stateFile.movedTo(paths.state);
    this.#owned.ownership.movedTo(paths.lock);
    this.#owned.journal.movedTo(paths.journal);
  }

  /** R3. Throws if the end cannot be recorded. What a program in code returns, or throws, may contain secrets. */
  async #finish(ended: RunEnd): Promise<RunEnd> {
    const { output, failure } = ended;
    const redacted = defined({ output, failure: failure as unknown as JsonValue }) as JsonValue;
    const end: RunEnd = { ...ended, ...((this.#host.redact?.(redacted) ?? redacted) as Partial<RunEnd>) };
    await this.#record({
      type: 'run-ended',
      at: new Date().toISOString(),
      status: end.status,
      ...defined({ output: end.output, failure: end.failure, signal: end.signal }),
    });
    this.writeView();
    return end;
  }

  /** The end is in the journal: failing to write its view does not change it. */
  writeView(): void {
    try {
      this.#stateFile.writeNow();
    } catch (problem) {
      const why = problem instanceof Error ? problem.message : String(problem);
      this.#show('run' as StepKey, { type: 'message', text: `cannot write state.json: ${why}` });
    }
  }

  async #record(event: JournalEvent): Promise<void> {
    try {
      await this.#owned.journal.append(event);
    } catch (problem) {
      throw this.#journalFailed(problem);
    }
    this.#publish(event);
  }

  #forgetAnswer(key: StepKey): Promise<void> | undefined {
    try {
      return this.#owned.answers.forget(key);
    } catch (problem) {
      const path = answerFile(this.#owned.paths, key);
      const stop: Stop = { type: 'journal-failed', failure: fileFailure('write', path, problem) };
      this.#stop.abort(stop);
      throw stop;
    }
  }

  #recordSoon(event: JournalEvent): void {
    try {
      this.#owned.journal.appendNow(event);
    } catch (problem) {
      throw this.#journalFailed(problem);
    }
    this.#publish(event);
  }

  #journalFailed(problem: unknown): unknown {
    if (!(problem instanceof JournalWriteError)) return problem;
    const stop: Stop = { type: 'journal-failed', failure: journalFailure(problem) };
    this.#stop.abort(stop);
    return stop;
  }

  /** False if every step was answered from the journal. */
  get hasStartedStep(): boolean {
    return this.#hasStartedStep;
  }

  #publish(event: JournalEvent): void {
    if (event.type === 'step-started') this.#hasStartedStep = true;
    this.#apply(event);
    this.#stateFile.changed();
    this.#host.onEvent(event);
  }

  /** Output and events of agents come masked from where they are read; a message is a text of any function. */
  #show(key: StepKey, progress: Progress): void {
    const shown =
      progress.type === 'message' ? ((this.#host.redact?.(progress) ?? progress) as Progress) : progress;
    this.#host.onEvent({ type: 'progress', at: new Date().toISOString(), key, progress: shown });
  }

  #openQuestions(keys: ReadonlySet<StepKey>): OpenQuestions {
    return Object.fromEntries([...keys].map((key) => [key, this.#fold.state?.waiting_for?.[key]]));
  }

  #findAnswerOrWatch(key: StepKey): Answer | undefined {
    const answer = this.#findAnswer(key);
    if (answer === undefined && !this.#isOver)
      this.#answerTimer ??= setInterval(this.#lookForAnswers, ANSWER_POLL_MS);
    return answer;
  }

  #findAnswer(key: StepKey): Answer | undefined {
    return this.#owned.answers.find(key, this.#fold.state?.waiting_for?.[key]);
  }
}

function stackOf(problem: unknown): string {
  return problem instanceof Error ? (problem.stack ?? problem.message) : String(problem);
}
