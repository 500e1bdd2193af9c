import { ok, type Result } from '../../model/result.ts';
import type { InvalidStatus, StatusFault } from '../problem.ts';
import type { Site } from '../site.ts';
import { readStatus } from './read-status.ts';

export interface ValidatedStatus {
  readonly file: string;
  /** Empty if it is valid. */
  readonly faults: readonly StatusFault[];
}

/** All errors of each file. */
export function validateStatuses(
  site: Pick<Site, 'workspace'>,
  { files }: { readonly files: readonly string[] },
): Result<readonly ValidatedStatus[], InvalidStatus> {
  return ok(
    files.map((file) => {
      const read = readStatus(site, { file });
      return { file, faults: read.type === 'ok' ? [] : read.error.faults };
    }),
  );
}
