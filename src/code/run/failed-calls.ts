/** Failures as exceptions (C3), and what a resumed run retries after one that escaped. */
import { describeFailure } from '../../model/describe-failure.ts';
import { adviceFor, type Failure } from '../../model/failure.ts';
import type { StepKey } from '../../model/ids.ts';
import { type EndedStep, type SiteCall, wholeKey } from '../../steps/site.ts';
import { StepFailed } from '../written/errors.ts';
import type { Scope } from './scope.ts';

interface Origin {
  readonly scope: Scope;
  readonly key: StepKey;
  readonly retryKeys: readonly StepKey[];
}

const origins = new WeakMap<StepFailed, Origin>();

export function stepFailed(
  scope: Scope,
  { block, key }: SiteCall,
  {
    failure,
    retryKeys,
    causes = [],
  }: {
    readonly failure: Failure;
    readonly retryKeys: EndedStep['retryKeys'];
    readonly causes?: readonly StepFailed[];
  },
): StepFailed {
  const step = wholeKey(block, key);
  const failed = new StepFailed({
    ...{ step, failure, causes, advice: adviceFor(failure), message: describeFailure(failure) },
  });
  origins.set(failed, { scope, key: step, retryKeys });
  return failed;
}

/** The failure that an escaped error stands for: its own, or that of its cause. */
export function failureBehind(problem: unknown): StepFailed | undefined {
  for (let each = problem, depth = 0; each instanceof Error && depth < 20; each = each.cause, depth += 1) {
    if (each instanceof StepFailed && origins.has(each)) return each;
  }
  return undefined;
}

/** What failed, and what was called after it: clean-up in a `finally`, whose result may differ now. */
export function retryKeysOf(failed: StepFailed): readonly StepKey[] {
  const origin = origins.get(failed);
  if (origin === undefined) return [];
  const inner = failed.causes.flatMap(retryKeysOf);
  return [...new Set([...origin.retryKeys, ...inner, ...origin.scope.after(origin.key)])];
}
