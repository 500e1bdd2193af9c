/** The token of the page: one for each user, kept until its file is removed, so that a page stays open over a restart of the server. */
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { error, ok, type Result } from '../../model/result.ts';
import { placeFile, replaceFile } from '../../store/atomic-write.ts';
import { errnoOf } from '../../store/errno.ts';
import { makeFolder } from '../../store/make-folder.ts';
import { realPath } from '../../store/own-path.ts';
import { readPlainText } from '../../store/plain-file.ts';
import { type UserEnvironment, userStateFolder } from '../../store/user-folder.ts';
import type { Problem } from '../problem.ts';

const BYTES = 32;
const TOKEN = /^[A-Za-z0-9_-]{43}$/;

export function accessToken(environment: UserEnvironment): Result<string, Problem> {
  try {
    const folder = stateFolder(environment);
    const file = join(folder, 'serve-token');
    const kept = readIfThere(file);
    if (kept !== undefined && TOKEN.test(kept)) return ok(kept);
    const token = randomBytes(BYTES).toString('base64url');
    if (kept !== undefined) replaceFile(file, `${token}\n`, { mode: 0o600 });
    else if (!placeFile(file, `${token}\n`)) return accessToken(environment);
    return ok(token);
  } catch (cause) {
    return error({ type: 'token-not-kept', code: errnoOf(cause) });
  }
}

/** Created if it is missing. */
export function stateFolder(environment: UserEnvironment): string {
  const folder = userStateFolder(environment);
  makeFolder(folder, 0o700);
  return realPath(folder);
}

function readIfThere(file: string): string | undefined {
  try {
    return readPlainText(file).trim();
  } catch (cause) {
    if (errnoOf(cause) === 'ENOENT') return undefined;
    throw cause;
  }
}
