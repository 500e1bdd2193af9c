import type { OrchestrateDurable } from '../effects/contracts.ts';
import type { Failure } from '../model/failure.ts';
import { type StepKey, stepKey } from '../model/ids.ts';
import type { ConverseInput } from './input.ts';

/** What every part of the loop works with. */
export interface Loop {
  readonly durable: OrchestrateDurable;
  readonly input: ConverseInput;
  /** What a person has answered for tools that are asked about once. */
  readonly decided: Map<string, Decision>;
}

export interface Decision {
  readonly allowed: boolean;
  readonly comment?: string;
}

/** Why the loop cannot go on, and what a resumed run does again. */
export interface Stopped {
  readonly failure: Failure;
  readonly failedStep: StepKey;
  readonly retryKeys: readonly StepKey[];
}

export function iterationKey(iteration: number): StepKey {
  return stepKey('iteration', iteration);
}

/** `<iteration>/<tool_use_id>`: what a person answers to, and where the tool runs. */
export function toolKey(iteration: number, toolUseId: string): StepKey {
  return stepKey(iteration, toolUseId);
}
