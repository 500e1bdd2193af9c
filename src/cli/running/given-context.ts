import { defined } from '../../model/defined.ts';
import type { JsonObject } from '../../model/json.ts';
import { error, ok, type Result } from '../../model/result.ts';
import type { Problem } from '../../operations/problem.ts';
import { contextFrom } from '../../operations/workflows/given-context.ts';

export interface ContextFlags {
  readonly context?: readonly string[];
  readonly contextFile?: string;
  readonly input?: readonly string[];
}

/** Context given by `--context`, `--context-file` and `--input`. */
export function givenContext({ context, contextFile, input }: ContextFlags): Result<JsonObject, Problem> {
  const given = contextFrom({
    pairs: context ?? [],
    inputs: input ?? [],
    ...defined({ file: contextFile }),
  });
  return given.type === 'ok' ? ok(given.value) : error({ type: 'invalid-pairs', reason: given.error });
}
