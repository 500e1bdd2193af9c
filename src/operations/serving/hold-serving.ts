/** One server for a workspace. The lock is in the user's state folder: serving writes nothing to the workspace (J6). */
import { join } from 'node:path';
import { parseJsonObject } from '../../model/json.ts';
import { error, ok, type Result } from '../../model/result.ts';
import { sha256 } from '../../model/sha256.ts';
import { replaceFile } from '../../store/atomic-write.ts';
import { acquireLock, heldBy } from '../../store/lock.ts';
import { makeFolder } from '../../store/make-folder.ts';
import { readPlainText } from '../../store/plain-file.ts';
import { clearAway } from '../../store/remove-file.ts';
import type { Problem } from '../problem.ts';
import type { Environment } from '../site.ts';
import { stateFolder } from './access-token.ts';

export interface ServingHold {
  /** Tells others where the page is. Without the token. */
  publish(url: string): void;
  release(): void;
}

/** All or none. */
export function holdServing(
  environment: Environment,
  workspaces: readonly string[],
): Result<ServingHold, Problem> {
  const folder = join(stateFolder(environment), 'serving');
  makeFolder(folder, 0o700);
  const held: { readonly release: () => void; readonly address: string }[] = [];
  const release = (): void => {
    for (const each of held) {
      clearAway(each.address);
      each.release();
    }
  };
  for (const workspace of workspaces) {
    const name = join(folder, sha256(workspace).slice(0, 16));
    const lock = acquireLock(`${name}.lock`);
    if (lock.type === 'error') {
      release();
      const url = urlIn(`${name}.json`);
      return error({ type: 'workspace-served', workspace, url, held: lock.error });
    }
    held.push({ release: () => lock.value.release(), address: `${name}.json` });
  }
  return ok({
    publish(url) {
      for (const { address } of held) replaceFile(address, `${JSON.stringify({ url })}\n`, { mode: 0o600 });
    },
    release,
  });
}

/** The address of the server of this workspace, without the token. */
export function findServing(environment: Environment, workspace: string): Result<string, Problem> {
  const name = join(stateFolder(environment), 'serving', sha256(workspace).slice(0, 16));
  const url = heldBy(`${name}.lock`) === undefined ? undefined : urlIn(`${name}.json`);
  return url === undefined ? error({ type: 'not-served', workspace }) : ok(url);
}

function urlIn(file: string): string | undefined {
  try {
    const url = parseJsonObject(readPlainText(file))?.['url'];
    return typeof url === 'string' ? url : undefined;
  } catch {
    return undefined;
  }
}
