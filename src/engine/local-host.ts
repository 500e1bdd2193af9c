import type { Answer, JournalEvent, Progress } from '../model/event.ts';
import type { StepKey } from '../model/ids.ts';
import type { JsonValue } from '../model/json.ts';
import type { EffectOutput } from '../model/record.ts';
import type { Effect, RunSite } from './durable.ts';
import type { Recorded } from './recorded.ts';

/** What the engine needs of the run it works in. */
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
  show(key: StepKey, progress: Progress): void;
  /** Whether the folders of the run are where they were. */
  isInPlace(): boolean;
  /** Throws a stop where they are not: nothing more is begun then. */
  expectInPlace(): void;
  /** The answer a person gave meanwhile, where there is one. */
  findAnswer(key: StepKey): Answer | undefined;
  /** Takes secrets out of data: what is recorded and what the program sees are the same (D2). */
  redact(data: JsonValue): JsonValue;
  /** Shown, not recorded: it stands in the journal already. */
  tell(event: JournalEvent): void;
  /** A question that is asked anew has no answer yet, whatever was answered before. */
  forgetAnswer(key: StepKey): void;
  /** L4 of `local-durable.ts`. */
  idle(waitingFor: ReadonlySet<StepKey>): void;
}
