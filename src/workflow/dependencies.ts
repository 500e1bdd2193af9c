import type { Injection } from '../effects/contracts.ts';
import type { Failure } from '../model/failure.ts';
import { sideKey } from '../model/ids.ts';
import { error, ok, type Result } from '../model/result.ts';
import { shownGlob } from '../store/glob-pattern.ts';
import type { StepCall } from './block.ts';
import { renderGlobs } from './render.ts';

/** The files a step depends on, found just before it runs. */
export interface Dependencies {
  readonly injection?: Injection;
}

export async function checkDependencies(call: StepCall): Promise<Result<Dependencies, Failure>> {
  const { block, step, key } = call;
  const { dependsOn } = step;
  if (dependsOn === undefined) return ok({});
  const required = renderGlobs(block, dependsOn.required);
  if (required.type === 'error') return required;
  const optional = renderGlobs(block, dependsOn.optional);
  if (optional.type === 'error') return optional;
  if (required.value.length > 0) {
    const { output } = await block.durable.step(sideKey(key, 'depends-on'), 'find-files', {
      patterns: required.value,
    });
    if (output.failure !== undefined) return error(output.failure);
    const patterns = required.value.filter((_, index) => (output.matches[index]?.length ?? 0) === 0);
    if (patterns.length > 0 && block.options.dryRun === true) return ok({});
    if (patterns.length > 0)
      return error({ type: 'missing-dependencies', patterns: patterns.map(shownGlob) });
  }
  if (dependsOn.inject === undefined) return ok({});
  return ok({ injection: { required: required.value, optional: optional.value, ...dependsOn.inject } });
}
