import { error, ok, type Result } from '../../../model/result.ts';
import { whyNotConcrete } from '../../../session/document/paths.ts';
import { type Refused, refused } from '../../problem.ts';

export function checkFocus(paths: readonly string[] = []): Result<void, Refused> {
  for (const path of paths) {
    const reason = whyNotConcrete(path);
    if (reason !== undefined) return error(refused('invalid', `the path \`${path}\` ${reason}`));
  }
  return ok(undefined);
}
