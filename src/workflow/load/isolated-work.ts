import type { StepSource } from '../schema/step.ts';

/** The long form of `isolate`, if the step has it. */
export function isolatedWork(step: StepSource): { readonly review: boolean } | undefined {
  if (step.isolate === undefined) return undefined;
  return step.isolate === 'worktree' ? { review: false } : step.isolate;
}
