/**
 * Calls the agents of a fallback list in order until one succeeds. Only the last one waits for a usage limit: the others have
 * someone to take over. If all are at their limits, the one whose limit ends first is waited for.
 */
import { adviceFor, type Failure, outcomeName } from '../model/failure.ts';
import type { EffectOutput } from '../model/record.ts';
import type { Stepped } from './durable.ts';
import type { RetryPolicy } from './retry.ts';

export interface Turns<Output extends EffectOutput> {
  readonly names: readonly string[];
  readonly retry: RetryPolicy;
  /** Those known to be at their limit, with its end (ISO 8601): they are not called before someone has to wait. */
  readonly resting?: ReadonlyMap<number, string>;
  call(index: number, retry: RetryPolicy, isAgain: boolean): Promise<Stepped<Output>>;
  /** Called before the next one is. */
  onSwitch(index: number, failed: Failure, next: number): Promise<void>;
}

export interface TookTurns<Output> {
  /** The one whose result counts. */
  readonly index: number;
  readonly stepped: Stepped<Output>;
  /** The calls that failed before. */
  readonly earlier: readonly Stepped<Output>[];
}

export async function inTurn<Output extends EffectOutput>(turns: Turns<Output>): Promise<TookTurns<Output>> {
  const { names, retry, resting = new Map<number, string>() } = turns;
  const limits = new Map(resting);
  const earlier: Stepped<Output>[] = [];
  const order = [...names.keys()].filter((index) => !resting.has(index));
  for (const [turn, index] of order.entries()) {
    const following = order[turn + 1];
    const first = endsFirst(limits);
    const stepped = await turns.call(index, policyFor(retry, following, first), false);
    const { failure } = stepped.output;
    const next = following ?? (failure !== undefined && isLimit(failure) ? first?.index : undefined);
    const isDone = failure === undefined || stepped.stopped === true;
    if (isDone || next === undefined || !mayFallBack(failure, retry)) return { index, stepped, earlier };
    const end = limitEnd(failure);
    if (end !== undefined) limits.set(index, end);
    earlier.push(stepped);
    await turns.onSwitch(index, failure, next);
  }
  const first = endsFirst(limits);
  if (first === undefined) throw new Error('there is no agent to call');
  const stepped = await turns.call(first.index, retry, !resting.has(first.index));
  return { index: first.index, stepped, earlier };
}

interface LimitOf {
  readonly index: number;
  readonly end: string;
}

function endsFirst(limits: ReadonlyMap<number, string>): LimitOf | undefined {
  return [...limits]
    .map(([index, end]) => ({ index, end }))
    .reduce<LimitOf | undefined>(
      (first, each) => (first === undefined || each.end < first.end ? each : first),
      undefined,
    );
}

/** Whoever has someone to take over does not wait; the last one no longer than until another can be called. */
function policyFor(
  retry: RetryPolicy,
  following: number | undefined,
  first: LimitOf | undefined,
): RetryPolicy {
  if (following !== undefined) return { ...retry, limitWaitMs: 0 };
  return first === undefined ? retry : { ...retry, limitUntil: first.end };
}

function isLimit(failure: Failure): boolean {
  return failure.type === 'agent' && failure.outcome.type === 'rate-limited';
}

/** When the usage limit ends that made it fail, if the agent said so. */
export function limitEnd(failure: Failure): string | undefined {
  return failure.type === 'agent' && failure.outcome.type === 'rate-limited'
    ? failure.outcome.resetsAt
    : undefined;
}

/** Whether another agent could succeed: after a usage limit, overload, a missing sign-in or program, but not after invalid input. */
function mayFallBack(failure: Failure, { except }: RetryPolicy): boolean {
  if (except?.includes(outcomeName(failure)) === true) return false;
  if (failure.type !== 'agent') return failure.type === 'not-found' || failure.type === 'cannot-start';
  return adviceFor(failure).type !== 'give-up' || failure.outcome.type === 'not-found';
}
