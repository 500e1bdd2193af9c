import type { EffectContext } from '../engine/durable.ts';

/** The time an effect may take: its own limit or the rest of the run's, whichever ends first. */
export function timeLimit(
  input: { readonly timeoutMs?: number },
  { timeLeftMs }: Pick<EffectContext, 'timeLeftMs'>,
): { readonly timeoutMs?: number } {
  const limits = [input.timeoutMs, timeLeftMs].filter((each) => each !== undefined);
  return limits.length === 0 ? {} : { timeoutMs: Math.min(...limits) };
}
