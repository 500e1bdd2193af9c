/** `.set.json`: what the user changed while the loop runs. It belongs to one run; the next one ignores it. */
import * as v from 'valibot';
import { defined } from '../../model/defined.ts';
import { parseJson } from '../../model/json.ts';
import { plainData } from '../../store/plain-data.ts';
import type { LoopLimits } from '../input.ts';

const amount = v.pipe(v.number(), v.minValue(0));
const shape = v.object({
  run: v.string(),
  /** The last change, ISO 8601. */
  at: v.string(),
  maxIterations: v.optional(v.pipe(v.number(), v.integer(), v.minValue(1))),
  /** Seconds between iterations. */
  delay: v.optional(amount),
  stagnationThreshold: v.optional(v.pipe(v.number(), v.integer(), v.minValue(0))),
  budget: v.optional(
    v.object({
      usd: v.optional(amount),
      tokens: v.optional(amount),
      calls: v.optional(amount),
      minutes: v.optional(amount),
    }),
  ),
  instructions: v.optional(v.string()),
});

export type LoopChange = v.InferOutput<typeof shape>;

/** Undefined: nothing was changed in this run. */
export function parseChange(text: string | undefined, runId: string): LoopChange | undefined {
  const change = parseAnyChange(text);
  return change?.run === runId ? change : undefined;
}

/** The change in the file, whichever run it belongs to. */
export function parseAnyChange(text: string | undefined): LoopChange | undefined {
  try {
    const parsed = v.safeParse(shape, plainData(parseJson(text ?? '')));
    return parsed.success ? parsed.output : undefined;
  } catch {
    return undefined;
  }
}

export function changedLimits(limits: LoopLimits, change: LoopChange): LoopLimits {
  const { maxIterations, delay, stagnationThreshold } = change;
  const budget = { ...limits.budget, ...defined({ ...change.budget }) };
  return {
    ...limits,
    ...defined({ maxIterations, stagnationThreshold }),
    ...(delay === undefined ? {} : { delayMs: delay * 1000 }),
    ...(Object.keys(budget).length === 0 ? {} : { budget }),
  };
}

/** In words, for the console and the log. */
export function changeText(change: LoopChange): string {
  const { budget = {} } = change;
  const parts = Object.entries({
    'maximum iterations': change.maxIterations,
    'delay in seconds': change.delay,
    'stagnation threshold': change.stagnationThreshold,
    'budget in USD': budget.usd,
    'budget in tokens': budget.tokens,
    'budget in calls': budget.calls,
    'budget in minutes': budget.minutes,
  }).flatMap(([name, value]) => (value === undefined ? [] : [`${name} ${value}`]));
  return [...parts, ...(change.instructions === undefined ? [] : ['new instructions'])].join(', ');
}
