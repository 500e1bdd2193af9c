import type { Answer, Question, RunEvent, RunStatus } from '../model/event.ts';
import type { Failure } from '../model/failure.ts';
import type { RunId, StepKey } from '../model/ids.ts';
import type { JsonValue } from '../model/json.ts';
import type { QuestionState } from '../model/run-state.ts';
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
  readonly rehearsal?: Rehearsal;
  /** Removes secrets from the inputs and outputs of effects. */
  redact?(data: JsonValue): JsonValue;
}

/** A run without waiting, to test a workflow: every pause ends at once, and questions are answered without asking anyone. */
export interface Rehearsal {
  /** The time that the program sees. ISO 8601. */
  readonly now: string;
  /** Undefined: the run waits. */
  answer(key: StepKey, question: Question): Answer | undefined;
}

export interface RunEnd {
  readonly runId: RunId;
  readonly status: Exclude<RunStatus, 'running'>;
  readonly output?: JsonValue;
  readonly failure?: Failure;
  readonly signal?: string;
  /** What a waiting run waits for. */
  readonly questions?: OpenQuestions;
}

export type OpenQuestions = { readonly [key: StepKey]: QuestionState | undefined };
