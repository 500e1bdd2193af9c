/** A pause is a question that the next `run` answers. */
import type { Question } from '../../model/event.ts';
import { type StepKey, stepKey } from '../../model/ids.ts';

const NAME = 'paused';

export const PAUSE: Question = { message: 'The loop is paused.', choices: ['continue'] };

export function pauseKey(iteration: StepKey): StepKey {
  return stepKey(iteration, NAME);
}

export function isPause(key: string): boolean {
  return key.endsWith(`/${NAME}`);
}
