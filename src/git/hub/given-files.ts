/** Files of the run's own folder that a call needs on its worker, such as the log of an earlier step. */
import { join } from 'node:path';
import type { Failure } from '../../model/failure.ts';
import { error, ok, type Result } from '../../model/result.ts';
import { failedGit } from '../git.ts';
import { checkoutName } from './checkout.ts';
import type { Clone } from './clone.ts';
import { fetchInTurn } from './fetch-in-turn.ts';
import { commitPlainFiles, type FolderFiles, writePlainFiles } from './file-trees.ts';
import { moveRefs } from './hub.ts';
import { givenRef } from './hub-refs.ts';
import type { HubCall } from './run-head.ts';

export async function giveFiles(
  clone: Clone,
  { runId, call }: HubCall,
  files: FolderFiles,
): Promise<Result<void, Failure>> {
  const commit = await commitPlainFiles(clone.git, files, scratchOf(clone, { runId, call }));
  if (commit.type === 'error') return commit;
  const pushed = await moveRefs(clone, [{ ref: givenRef(runId, call), to: commit.value, isForced: true }]);
  return pushed.type === 'error' ? pushed : ok(undefined);
}

/** Writes them into a folder. */
export async function takeGiven(
  clone: Clone,
  { runId, call }: HubCall,
  folder: string,
): Promise<Result<readonly string[], Failure>> {
  const commit = await fetchInTurn(clone, givenRef(runId, call));
  if (commit.type === 'error') return commit;
  if (commit.value === undefined) return error(failedGit(`found no files for \`${call}\` in the hub`));
  return writePlainFiles(clone, [commit.value], { folder, scratch: scratchOf(clone, { runId, call }) });
}

function scratchOf({ checkouts }: Clone, call: Omit<HubCall, 'base'>): string {
  return join(checkouts, `${checkoutName(call)}.given`);
}
