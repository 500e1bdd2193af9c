import { basename, dirname, join, resolve } from 'node:path';
import { error, ok, type Result } from '../../model/result.ts';
import { replaceFile } from '../../store/atomic-write.ts';
import { errnoOf } from '../../store/errno.ts';
import { realPath } from '../../store/own-path.ts';
import { appendPlain } from '../../store/plain-file.ts';
import type { Problem } from '../problem.ts';
import type { Site } from '../site.ts';

export interface WriteReport {
  readonly file: string;
  readonly text: string;
  /** What the file holds stays in it. */
  readonly isAppended?: boolean;
}

/** Writes the report to a file named by the user, inside or outside the workspace. */
export function writeReport(
  { workspace }: Site,
  { file, text, isAppended = false }: WriteReport,
): Result<void, Problem> {
  try {
    const path = resolve(workspace, file);
    const real = join(realPath(dirname(path)), basename(path));
    if (isAppended) appendPlain(real, text, 0o644);
    else replaceFile(real, text, { mode: 0o644 });
    return ok(undefined);
  } catch (cause) {
    return error({ type: 'cannot-write-file', file, code: errnoOf(cause) });
  }
}
