import type { Answer, JournalEvent, Progress } from '../model/event.ts';
import type { StepKey } from '../model/ids.ts';
import type { JsonValue } from '../model/json.ts';
import type { EffectOutput } from '../model/record.ts';
import type { Effect, RunSite } from './durable.ts';
import type { Recorded } from './recorded.ts';
import type { Rehearsal } from './run-host.ts';

/** What the engine needs from its run. */
export interface LocalHost {
  readonly effects: { readonly [name: string]: Effect<never, EffectOutput> };
  readonly site: RunSite;
  readonly recorded: Recorded;
  readonly signal: AbortSignal;
  /** For the calls of `atEnd`. */
  readonly endSignal: AbortSignal;
  /** Synced before it resolves, then shown. */
  record(event: JournalEvent): Promise<void>;
  /** Written at once, synced with the next `record`. */
  recordSoon(event: JournalEvent): void;
  /** Whether this attempt, started by an earlier owner of the run, still runs elsewhere. Default: nothing does. */
  readonly isStillRunning?: (key: StepKey, attempt: number) => boolean;
  /** How long the run has worked: the time with a process, over all of them (`RunClock`). */
  workedMs(): number;
  show(key: StepKey, progress: Progress): void;
  /** Brings `state.json` up to date, which otherwise lags behind. */
  writeState(): void;
  /** Whether the run's folders are still where they were. */
  isInPlace(): boolean;
  /** Throws a stop if they are not: nothing more is started. */
  expectInPlace(): void;
  /** The answer a user has given meanwhile, if any. */
  findAnswer(key: StepKey): Answer | undefined;
  readonly rehearsal?: Rehearsal;
  /** Removes secrets from data, so that the record and the program see the same value (D2). */
  redact(data: JsonValue): JsonValue;
  /** Shows an event that is already in the journal. */
  announce(event: JournalEvent): void;
  /** Drops an earlier answer: a question that is asked again starts without one. */
  forgetAnswer(key: StepKey): Promise<void> | undefined;
  /** L4 of `local-durable.ts`. */
  idle(waitingFor: ReadonlySet<StepKey>): void;
}
