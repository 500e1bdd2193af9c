import type { RunEvent, RunStatus } from '../model/event.ts';
import type { Failure } from '../model/failure.ts';
import type { RunId } from '../model/ids.ts';
import type { JsonValue } from '../model/json.ts';
import type { Seals } from '../store/seal.ts';
import type { EffectImplementations, Programs, RunSite } from './durable.ts';
import type { StartedProcess } from './open-processes.ts';

/** What a run needs of the program around it. */
export interface RunHost<Effects> {
  readonly programs: Programs<Effects>;
  readonly effects: EffectImplementations<Effects>;
  /**
   * Before a run is gone on with: ends what a dead owner left running and clears away what it left half done. Answers the pids. `started`
   * are the processes of the steps that were under way.
   */
  takeOver(site: RunSite, started: readonly StartedProcess[]): Promise<readonly number[]>;
  /** At the end of a run: ends what it left running. */
  endLeftovers(site: RunSite): Promise<readonly number[]>;
  /** Everything that happens, as it happens. */
  onEvent(event: RunEvent): void;
  /** With the user's key: what the run is started with is sealed. */
  readonly seals?: Seals;
  /** Takes secrets out of what effects were asked and answered. */
  redact?(data: JsonValue): JsonValue;
}

export interface RunEnd {
  readonly runId: RunId;
  readonly status: Exclude<RunStatus, 'running'>;
  readonly output?: JsonValue;
  readonly failure?: Failure;
  readonly signal?: string;
}
