/** The files of the run's own folder that a call wrote on its worker – logs, prompts, responses – on their way to the host. */
import { join } from 'node:path';
import type { Failure } from '../../model/failure.ts';
import { error, ok, type Result } from '../../model/result.ts';
import { failedGit } from '../git.ts';
import { refStem } from '../worktree-names.ts';
import { checkoutName } from './checkout.ts';
import type { Clone } from './clone.ts';
import { fetchInTurn } from './fetch-in-turn.ts';
import { commitPlainFiles, type FolderFiles, writePlainFiles } from './file-trees.ts';
import { moveRefs } from './hub.ts';
import { executionRef } from './hub-refs.ts';
import type { HubCall } from './run-head.ts';

interface Execution {
  readonly call: HubCall;
  readonly execution: string;
}

/** The files are sent as they are, byte for byte. */
export async function sendFiles(
  clone: Clone,
  { call, execution }: Execution,
  files: FolderFiles,
): Promise<Result<string, Failure>> {
  const commit = await commitPlainFiles(clone.git, files, scratchOf(clone, { call, execution }));
  if (commit.type === 'error') return commit;
  const ref = executionRef({ ...call, execution }, 'files');
  const pushed = await moveRefs(clone, [{ ref, to: commit.value }]);
  if (pushed.type === 'error') return pushed;
  return pushed.value ? commit : error(failedGit(`found other logs of \`${call.call}\` in the hub`));
}

/** Writes the files of a call into a folder. Returns their paths; none if nothing was sent. */
export async function receiveFiles(
  clone: Clone,
  { call, execution }: Execution,
  folder: string,
): Promise<Result<readonly string[], Failure>> {
  const commit = await fetchInTurn(clone, executionRef({ ...call, execution }, 'files'));
  if (commit.type === 'error') return commit;
  if (commit.value === undefined) return ok([]);
  return writePlainFiles(clone, [commit.value], { folder, scratch: scratchOf(clone, { call, execution }) });
}

function scratchOf({ checkouts }: Clone, { call, execution }: Execution): string {
  return join(checkouts, `${checkoutName(call)}.${refStem(execution)}.run`);
}
