import { error, ok, type Result } from '../../../model/result.ts';
import { whyNotConcrete } from '../../../session/document/paths.ts';
import type { Problem } from '../../problem.ts';

export function checkFocus(paths: readonly string[] = []): Result<void, Problem> {
  for (const path of paths) {
    const reason = whyNotConcrete(path);
    if (reason !== undefined) return error({ type: 'not-a-plain-path', path, reason });
  }
  return ok(undefined);
}
