import { basename, dirname, join, resolve } from 'node:path';
import { errnoWords } from '../../model/describe-failure.ts';
import { error, ok, type Result } from '../../model/result.ts';
import { replaceFile } from '../../store/atomic-write.ts';
import { errnoOf } from '../../store/errno.ts';
import { realPath } from '../../store/own-path.ts';
import { type Refused, refused } from '../problem.ts';
import type { Site } from '../site.ts';

/** Writes the report to a file named by the user, inside or outside the workspace. */
export function writeReport(
  { workspace }: Site,
  { file, text }: { readonly file: string; readonly text: string },
): Result<void, Refused> {
  try {
    const path = resolve(workspace, file);
    replaceFile(join(realPath(dirname(path)), basename(path)), text, { mode: 0o644 });
    return ok(undefined);
  } catch (cause) {
    return error(refused('failed', `cannot write \`${file}\`: ${errnoWords(errnoOf(cause))}`));
  }
}
