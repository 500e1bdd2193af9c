/**
 * The five things a program may do, also while it ends. A program is an async function of JSON data that touches the world only through
 * `Durable` and branches only on its results, so repeating the same calls with the same keys restores its position.
 *
 * D1 A key names one call. Using a key twice in one run is a bug, reported as such.
 * D2 A result is recorded before the program sees it, and comes from the record after a restart.
 * D3 Only data reaches the world: programs and effects are named, inputs and outputs are JSON. No clock, randomness or handle.
 * D4 `pool` is the only way to do two things at once. A branch is code of the program itself, with a key space of its own: branches stay in
 *    the program's process, only effects may run elsewhere.
 * D5 A cancellation or interruption rejects every open call. Calls through `atEnd` continue for a bounded time, so that a program can
 *    clean up. What they record after a stop is forgotten when the run is resumed.
 * D6 An effect may ask (`EffectOutput.asks`). Its step stays open while the run waits as it does for `answer`, and the effect is called
 *    again with the answers.
 * D7 A program that cannot vouch for its own inputs, since a user changes its code, has them compared (`compares`): a recorded call with
 *    another input is a `Divergence`, not an answer. So is a question that was answered, with other words or choices; one without an answer is
 *    asked again.
 */
import type { Answer, Progress, Question } from '../model/event.ts';
import type { Failure } from '../model/failure.ts';
import type { StepKey } from '../model/ids.ts';
import type { JsonValue } from '../model/json.ts';
import type { Asked, EffectOutput, Spent } from '../model/record.ts';
import type { RetryPolicy } from './retry.ts';

/** `Effects` maps the name of an effect to its input and output. The closed list is `effects/contracts.ts`. */
export interface Durable<Effects> {
  /** Runs the effect once, or returns the recorded output. A failure is part of the output, never thrown. */
  step<Name extends keyof Effects & string>(
    key: StepKey,
    effect: Name,
    input: InputOf<Effects, Name>,
    options?: StepOptions,
  ): Promise<Stepped<OutputOf<Effects, Name>>>;

  /** Runs branches in parallel, at most `slots` at once; `body` starts them and receives their results. Rules: `pool.ts`. */
  pool<Output, Value>(slots: number, body: (pool: Pool<Effects, Output>) => Promise<Value>): Promise<Value>;

  /**
   * Returns at or after the time, even if the process restarts meanwhile; earlier only if `stopFile` appears. With `compares`, a pause that has
   * begun takes as long as the program says now.
   */
  sleepUntil(key: StepKey, at: string, options?: PauseOptions & Pick<StepOptions, 'compares'>): Promise<void>;

  /** Waits for a user or another process. If nothing else can continue, the run stops with status `waiting`. */
  answer(key: StepKey, question: Question, options?: Pick<StepOptions, 'compares'>): Promise<Answer>;

  /** The time of the first call with this key, ISO 8601. */
  now(key: StepKey): Promise<string>;

  /** How long the run worked between two times that were read with `now`: not while no process executed it. */
  workedBetween(from: StepKey, to: StepKey): number;

  /**
   * The cost of recorded calls of this branch that the program has not made, because it went another way after a resume. Ask at the end of
   * the branch, when it makes no more calls.
   */
  spentElsewhere(): readonly Spent[];

  /** The same interface and keys, for clean-up at the end, whatever happened (D5). */
  readonly atEnd: Durable<Effects>;
}

type InputOf<Effects, Name extends keyof Effects> = Effects[Name] extends { readonly input: infer Input }
  ? Input
  : never;
type OutputOf<Effects, Name extends keyof Effects> = Effects[Name] extends { readonly output: infer Output }
  ? Output
  : never;

export interface Stepped<Output> {
  readonly output: Output;
  /** Number of attempts; waiting for a usage limit does not count. */
  readonly attempts: number;
  readonly startedAt: string;
  readonly endedAt: string;
  readonly durationMs: number;
  /** The cost of failed attempts before the last one. */
  readonly spentBefore?: readonly Spent[];
  /** `stopFile` appeared before the next attempt was due. The output is the failure of the last attempt. */
  readonly stopped?: boolean;
}

export interface PauseOptions {
  /** The time the run has worked (`workedMs`) at which the call ends early: a pause returns, an effect fails as over budget. */
  readonly workLimitMs?: number;
  /** A file whose presence requests a stop: it ends every pause. Relative to the workspace. */
  readonly stopFile?: string;
}

export interface StepOptions extends PauseOptions {
  /** Asked before an attempt that really starts; its failure becomes the recorded output, and nothing starts. */
  readonly refuse?: () => Failure | undefined;
  readonly retry?: RetryPolicy;
  /** ISO 8601: the time from which a limit of the effect counts, if that began before its attempt (`EffectContext.elapsedMs`). */
  readonly since?: string;
  /** The folder that the effect sees as the workspace, relative to the run's folder. */
  readonly folder?: string | undefined;
  /** The label of the worker that can run it, if a run uses several machines. */
  readonly worker?: string;
  /** It reads the folder of the run: `state.json` is brought up to date before it starts. */
  readonly readsState?: boolean;
  /** Does not count as work: while only such steps and questions are open, the run waits for answers (L4). */
  readonly mayWait?: boolean;
  /** The output can be derived from earlier ones, so its record need not reach the disk before the next step starts. */
  readonly syncWithNext?: boolean;
  /** Its success is checked afterwards, and shown only then. */
  readonly isChecked?: boolean;
  /** A digest of the input is recorded, and compared in a replay (D7); not for what was recorded until `since` (ISO 8601). */
  readonly compares?: Compared;
}

export interface Compared {
  readonly since?: string;
  /** What else the call depends on: the item of its branch. */
  readonly within?: AroundCall;
}

/** One object for all calls of a branch: its digest is computed once. */
export interface AroundCall {
  readonly item: JsonValue;
  readonly around?: AroundCall | undefined;
  digest?: string;
}

export interface Pool<Effects, Output> {
  /** Number of free slots. */
  readonly free: number;
  /** Branches started and not yet returned by `next`, in start order. */
  readonly running: readonly StepKey[];
  start(call: BranchCall<Effects, Output>): void;
  /** The next branch that ended; undefined if none is running. */
  next(): Promise<BranchResult<Output> | undefined>;
  /**
   * Stops a running branch: what it has started is stopped, its open calls are rejected, its clean-up (`atEnd`) runs. Resolves when it has
   * ended. `next` does not return it, whatever it had done by then.
   */
  stop(key: StepKey): Promise<void>;
}

/** `key` is the prefix of all keys of the branch. */
export interface BranchCall<Effects, Output> {
  readonly key: StepKey;
  readonly body: (durable: Durable<Effects>) => Promise<Output>;
}

/** The value the branch's body returned. A bug in the body ends the run. */
export interface BranchResult<Output> {
  readonly key: StepKey;
  readonly output: Output;
}

export type Program<Effects> = (
  durable: Durable<Effects>,
  input: JsonValue,
  /** Aborted when the run stops: for a program that waits for more than `durable`. */
  signal?: AbortSignal,
) => Promise<JsonValue>;
export type Programs<Effects> = { readonly [name: string]: Program<Effects> };

/** What an effect receives besides its input. */
export interface EffectContext {
  /** The full key, including the branch prefix. */
  readonly key: StepKey;
  readonly attempt: number;
  /** The label of the worker that can run it (`StepOptions.worker`). */
  readonly worker?: string;
  /** The worker that has what this call continues, and cannot be reached: it may have to start from scratch. */
  readonly partedFrom?: string;
  /** Aborted when the run is interrupted or cancelled: stop what was started, then return. */
  readonly signal: AbortSignal;
  /** The time it may still take, if the run's time is limited: what was started is stopped as if it had timed out. */
  readonly timeLeftMs?: number;
  /** How long it has been since `StepOptions.since`, by the clock of the run. */
  readonly elapsedMs?: number;
  /** What earlier attempts asked, in order (D6). */
  readonly asked?: readonly Asked[];
  readonly run: RunSite;
  emit(progress: Progress): void;
  /** Call it as soon as a process runs, so that a later owner of the run can find and stop it. */
  processStarted(pid: number, startTime: string): void;
}

/** The location of a run. */
export interface RunSite {
  readonly runId: string;
  /** Absolute real path of the run's folder. */
  readonly directory: string;
  /** Absolute real path of the workspace, or of the folder that stands for it (`StepOptions.folder`). */
  readonly workspace: string;
  /** The workspace itself, if `workspace` is another folder. */
  readonly home?: string;
  /** The beginning of the names of branches with work that is not merged; default: `orchestrate/<run>/`. */
  readonly branches?: string;
  /** Marks the processes of one call that runs on a worker; default: those of the run have one mark. */
  readonly mark?: string;
}

export type Effect<Input, Output extends EffectOutput> = (
  input: Input,
  context: EffectContext,
) => Promise<Output>;

export type EffectImplementations<Effects> = {
  readonly [Name in keyof Effects]: Effect<
    InputOf<Effects, Name>,
    OutputOf<Effects, Name> extends EffectOutput ? OutputOf<Effects, Name> : never
  >;
};
