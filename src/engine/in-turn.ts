/**
 * Calls the agents of a fallback list in order until one succeeds. Only the last one waits for a usage limit: the others have
 * someone to take over.
 */
import { adviceFor, type Failure, outcomeName } from '../model/failure.ts';
import type { EffectOutput } from '../model/record.ts';
import type { Stepped } from './durable.ts';
import type { RetryPolicy } from './retry.ts';

export interface Turns<Output extends EffectOutput> {
  readonly names: readonly string[];
  readonly retry: RetryPolicy;
  call(index: number, retry: RetryPolicy): Promise<Stepped<Output>>;
  /** Called before the next one is. */
  onSwitch(index: number, failed: Failure): Promise<void>;
}

export interface TookTurns<Output> {
  /** The one whose result counts. */
  readonly index: number;
  readonly stepped: Stepped<Output>;
  /** The calls that failed before. */
  readonly earlier: readonly Stepped<Output>[];
}

export async function inTurn<Output extends EffectOutput>(turns: Turns<Output>): Promise<TookTurns<Output>> {
  const { names, retry } = turns;
  const earlier: Stepped<Output>[] = [];
  for (const index of names.keys()) {
    const isLast = index === names.length - 1;
    const stepped = await turns.call(index, isLast ? retry : { ...retry, limitWaitMs: 0 });
    const { failure } = stepped.output;
    const isDone = failure === undefined || stepped.stopped === true;
    if (isDone || isLast || !mayFallBack(failure, retry)) return { index, stepped, earlier };
    earlier.push(stepped);
    await turns.onSwitch(index, failure);
  }
  throw new Error('there is no agent to call');
}

/** Whether another agent could succeed: after a usage limit, overload, a missing sign-in or program, but not after invalid input. */
function mayFallBack(failure: Failure, { except }: RetryPolicy): boolean {
  if (except?.includes(outcomeName(failure)) === true) return false;
  if (failure.type !== 'agent') return failure.type === 'not-found' || failure.type === 'cannot-start';
  return adviceFor(failure).type !== 'give-up' || failure.outcome.type === 'not-found';
}
