import type { RunEvent, RunStatus } from '../model/event.ts';
import type { Failure } from '../model/failure.ts';
import type { RunId } from '../model/ids.ts';
import type { JsonValue } from '../model/json.ts';
import type { Seals } from '../store/seal.ts';
import type { EffectImplementations, Programs, RunSite } from './durable.ts';
import type { StartedProcess } from './open-processes.ts';

/** What a run needs from the program around it. */
export interface RunHost<Effects> {
  readonly programs: Programs<Effects>;
  readonly effects: EffectImplementations<Effects>;
  /**
   * Before a run is resumed: stops what a dead owner left running and removes its unfinished files. Returns the pids. `started`
   * are the processes of the steps that were running.
   */
  takeOver(site: RunSite, started: readonly StartedProcess[]): Promise<readonly number[]>;
  /** At the end of a run: stops the processes it left running. */
  endLeftovers(site: RunSite): Promise<readonly number[]>;
  /** Receives every event as it happens. */
  onEvent(event: RunEvent): void;
  /** Contains the user's key, with which the run's input is sealed. */
  readonly seals?: Seals;
  /** Removes secrets from the inputs and outputs of effects. */
  redact?(data: JsonValue): JsonValue;
}

export interface RunEnd {
  readonly runId: RunId;
  readonly status: Exclude<RunStatus, 'running'>;
  readonly output?: JsonValue;
  readonly failure?: Failure;
  readonly signal?: string;
}
