import { ok, type Result } from '../../model/result.ts';
import { repair } from '../../session/sessions/repair.ts';
import type { Problem } from '../problem.ts';
import type { Site } from '../site.ts';

export interface Repair {
  /** What is repaired, and why. */
  readonly message: string;
  /** False: the user has to do it. */
  readonly isPossible: boolean;
}

/** `dryRun`: only report what would be done. */
export async function repairSessions(
  { workspace }: Pick<Site, 'workspace'>,
  { dryRun = false }: { readonly dryRun?: boolean | undefined },
): Promise<Result<readonly Repair[], Problem>> {
  const found = await repair(workspace, { dryRun });
  if (found.type === 'error') return found;
  return ok(found.value.map(({ message, apply }) => ({ message, isPossible: apply !== undefined })));
}
