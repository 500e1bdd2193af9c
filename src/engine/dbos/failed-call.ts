import { exitCodeFor, type Failure, outcomeName } from '../../model/failure.ts';
import type { EffectOutput } from '../../model/record.ts';

/** The output of a call that failed for a reason that is not the effect's own. Effects that are shown as steps also have an exit code. */
export function failedCall(failure: Failure): EffectOutput {
  const fields = { failure, exitCode: exitCodeFor(failure), outcome: outcomeName(failure) };
  return fields;
}
