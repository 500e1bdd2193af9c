import fs from 'node:fs';
import { basename, dirname, isAbsolute, join } from 'node:path';
import type { UserEnvironment } from './user-folder.ts';

/**
 * The folder of what this program keeps for a user and can make again, which may be removed at any time. Undefined if there is no home. The part
 * that exists is resolved: a home may be behind a link.
 */
export function userCacheFolder(env: UserEnvironment = process.env): string | undefined {
  const { HOME = '', XDG_CACHE_HOME = '' } = env;
  if (process.geteuid === undefined) return undefined;
  const caches = isAbsolute(XDG_CACHE_HOME)
    ? XDG_CACHE_HOME
    : isAbsolute(HOME) && join(HOME, process.platform === 'darwin' ? 'Library/Caches' : '.cache');
  if (caches === false) return undefined;
  const home = realIfThere(dirname(caches));
  // A missing home is not created.
  if (home === undefined) return undefined;
  return join(realIfThere(caches) ?? join(home, basename(caches)), 'orchestrate');
}

function realIfThere(path: string): string | undefined {
  try {
    return fs.realpathSync(path);
  } catch {
    return undefined;
  }
}
