import type { OrchestrateDurable } from '../effects/contracts.ts';
import type { Failure } from '../model/failure.ts';
import { type StepKey, stepKey } from '../model/ids.ts';
import type { ConverseInput } from './input.ts';

/** The state shared by all parts of the loop. */
export interface Loop {
  readonly durable: OrchestrateDurable;
  readonly input: ConverseInput;
  /** The user's answers for tools with `approve: once`. */
  readonly decided: Map<string, Decision>;
}

export interface Decision {
  readonly allowed: boolean;
  readonly comment?: string;
}

/** Why the loop cannot continue, and what a resumed run repeats. */
export interface Stopped {
  readonly failure: Failure;
  readonly failedStep: StepKey;
  readonly retryKeys: readonly StepKey[];
}

export function iterationKey(iteration: number): StepKey {
  return stepKey('iteration', iteration);
}

/** `<iteration>/<tool_use_id>`: the key of the question and of the tool's step. */
export function toolKey(iteration: number, toolUseId: string): StepKey {
  return stepKey(iteration, toolUseId);
}
