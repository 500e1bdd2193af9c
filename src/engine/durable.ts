/**
 * The five things a program may do, and how it may do them when it ends. A program is an async function of JSON data that touches the world only through
 * `Durable`, and branches only on what came out of it; so the same calls with the same keys bring it back to where it was.
 *
 * D1 A key names one call. Using a key twice in one run is a bug, reported as such.
 * D2 What a call answered is recorded before it is answered, and answered from the record after a restart.
 * D3 Only data reaches the world: programs and effects are named, inputs and outputs are JSON. No clock, randomness or handle.
 * D4 `pool` is the only way to do two things at once. A branch is code of the program itself, with a key space of its own: branches stay in
 *    the program's process, only effects may run elsewhere.
 * D5 A cancellation rejects every open call. What is called through `atEnd` goes on for a bounded time, so that a program can tidy up.
 */
import type { Answer, Progress, Question } from '../model/event.ts';
import type { StepKey } from '../model/ids.ts';
import type { JsonValue } from '../model/json.ts';
import type { EffectOutput, Spent } from '../model/record.ts';
import type { RetryPolicy } from './retry.ts';

/** `Effects`: the name of an effect → what goes in and what comes out. The closed list is `effects/contracts.ts`. */
export interface Durable<Effects> {
  /** Runs the effect once, or answers from the record. A failure is part of the output, never thrown. */
  step<Name extends keyof Effects & string>(
    key: StepKey,
    effect: Name,
    input: InputOf<Effects, Name>,
    options?: StepOptions,
  ): Promise<Stepped<OutputOf<Effects, Name>>>;

  /** Runs branches side by side, at most `slots` at once; `body` starts them and hears of their ends. Rules: `pool.ts`. */
  pool<Output, Value>(slots: number, body: (pool: Pool<Effects, Output>) => Promise<Value>): Promise<Value>;

  /** Returns at or after the time, also when the process was gone meanwhile; earlier only where `stopFile` is there. */
  sleepUntil(key: StepKey, at: string, options?: PauseOptions): Promise<void>;

  /** Waits for a person or another process. When nothing else can go on, the run stops with status `waiting`. */
  answer(key: StepKey, question: Question): Promise<Answer>;

  /** The time of the first asking, ISO 8601. */
  now(key: StepKey): Promise<string>;

  /** The same, with the same keys, for what is done at the end whatever happened (D5). */
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
  /** How often it was tried; a limit that was waited out does not count. */
  readonly attempts: number;
  readonly startedAt: string;
  readonly endedAt: string;
  readonly durationMs: number;
  /** What failed attempts before the last one cost. */
  readonly spentBefore?: readonly Spent[];
  /** `stopFile` came before the time of a further try. The output is the failure of the try before it. */
  readonly stopped?: boolean;
}

export interface PauseOptions {
  /** Absolute. A file by which somebody asks for an end: no pause lasts longer than until it is there. */
  readonly stopFile?: string;
}

export interface StepOptions extends PauseOptions {
  readonly retry?: RetryPolicy;
  /** The label of the worker that can run it, where a run has several machines. */
  readonly worker?: string;
  /** Its output follows from earlier ones, so its record need not reach the disk before the next step starts. */
  readonly syncWithNext?: boolean;
}

export interface Pool<Effects, Output> {
  /** Slots that are not taken. */
  readonly free: number;
  /** Started and not yet answered by `next`, in the order of their starts. */
  readonly running: readonly StepKey[];
  start(call: BranchCall<Effects, Output>): void;
  /** The branch that ended next; undefined when none is running. */
  next(): Promise<BranchResult<Output> | undefined>;
}

/** `key` is the first part of all the branch's keys. */
export interface BranchCall<Effects, Output> {
  readonly key: StepKey;
  readonly body: (durable: Durable<Effects>) => Promise<Output>;
}

/** A branch ends with what its body returns; a bug in it ends the run. */
export interface BranchResult<Output> {
  readonly key: StepKey;
  readonly output: Output;
}

export type Program<Effects> = (durable: Durable<Effects>, input: JsonValue) => Promise<JsonValue>;
export type Programs<Effects> = { readonly [name: string]: Program<Effects> };

/** What an effect gets besides its input. */
export interface EffectContext {
  /** Whole key, branch prefix included. */
  readonly key: StepKey;
  readonly attempt: number;
  /** Aborted when the run is interrupted or cancelled: end what was started, then return. */
  readonly signal: AbortSignal;
  readonly run: RunSite;
  emit(progress: Progress): void;
  /** To be called as soon as a process runs, so that a later owner of the run can find and end it. */
  processStarted(pid: number, startTime: string): void;
}

/** Where a run lives. */
export interface RunSite {
  readonly runId: string;
  /** Absolute real path of the run's folder. */
  readonly directory: string;
  /** Absolute real path of the workspace. */
  readonly workspace: string;
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
