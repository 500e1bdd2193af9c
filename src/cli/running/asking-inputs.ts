import type { JsonObject } from '../../model/json.ts';
import type { Result } from '../../model/result.ts';
import type { Problem } from '../../operations/problem.ts';
import type { Prepared } from '../../operations/run-plan.ts';
import { canAsk } from '../ask-line.ts';
import type { CliContext } from '../context.ts';
import type { OutputOptions } from '../run-options.ts';
import { siteOf } from '../site.ts';
import { type ContextFlags, givenContext } from './given-context.ts';

/**
 * Prepares a run with the context of the command line. On a terminal, asks for inputs that are missing; asked once, however often the
 * run is prepared.
 */
export function askingInputs(
  context: CliContext,
  { file, flags }: { readonly file: string; readonly flags: OutputOptions & ContextFlags },
  prepare: (given: JsonObject) => Result<Prepared, Problem> | Promise<Result<Prepared, Problem>>,
): () => Promise<Result<Prepared, Problem>> {
  let answers: JsonObject = {};
  const isQuiet = flags.json === true || flags.quiet === true;
  return async () => {
    const given = givenContext(flags);
    if (given.type === 'error') return given;
    const all = { ...given.value, ...answers };
    const prepared = await prepare(all);
    if (prepared.type === 'ok' || prepared.error.type !== 'invalid-file' || isQuiet || !canAsk())
      return prepared;
    const { missingInputs, readInput } = await import('../../operations/workflows/workflow-inputs.ts');
    const missing = missingInputs(siteOf(context), file, { problem: prepared.error, given: all });
    if (missing.length === 0) return prepared;
    const { askFields } = await import('../ask-fields.ts');
    const asked = await askFields(context, missing, (field, text) => readInput(context, field, text));
    if (asked === undefined) return prepared;
    answers = { ...answers, ...asked };
    return prepare({ ...all, ...asked });
  };
}
