import { isShown } from '../../model/effect.ts';
import type { JournalEvent } from '../../model/event.ts';
import { ownerOf, type StepKey } from '../../model/ids.ts';
import { error, ok, type Result } from '../../model/result.ts';
import { nearest } from '../../model/suggest.ts';
import type { FindStepProblem } from '../problem.ts';

/** The keys of a run's steps, in the order of their first event. */
export function stepKeysIn(events: readonly JournalEvent[]): readonly StepKey[] {
  const keys = new Set<StepKey>();
  for (const event of events) {
    if (event.type === 'question-asked') keys.add(event.key);
    else if (event.type === 'step-started' && isShown(event.effect)) keys.add(ownerOf(event.key));
    else if (event.type === 'step-ended' && event.effect === 'note' && !event.key.endsWith('/item@done'))
      keys.add(ownerOf(event.key));
  }
  return [...keys];
}

/** Finds a step by its full key, or by its name if unique. */
export function findStep(events: readonly JournalEvent[], asked: string): Result<StepKey, FindStepProblem> {
  const steps = stepKeysIn(events);
  const exact = steps.find((key) => key === asked);
  if (exact !== undefined) return ok(exact);
  const named = steps.filter((key) => key.split('/').at(-1) === asked);
  const [only] = named;
  if (only === undefined) return error({ type: 'no-such-step', asked, near: nearest(asked, steps), steps });
  return named.length === 1 ? ok(only) : error({ type: 'several-steps', asked, found: named });
}
