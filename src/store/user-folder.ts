/** Where a user's own settings are, outside every project. */
import os from 'node:os';
import { isAbsolute, join } from 'node:path';
import { realPath } from './own-path.ts';

export type UserEnvironment = { readonly [name: string]: string | undefined };

/** The folder for a user's settings. A relative `XDG_CONFIG_HOME` would be inside the project: it is ignored. */
export function configHome(env: UserEnvironment, platform: NodeJS.Platform = process.platform): string {
  const home = env['HOME'] || os.homedir();
  if (platform === 'win32') return env['APPDATA'] || join(home, 'AppData', 'Roaming');
  const xdg = env['XDG_CONFIG_HOME'];
  if (xdg !== undefined && isAbsolute(xdg)) return xdg;
  return platform === 'darwin' ? join(home, 'Library', 'Application Support') : join(home, '.config');
}

/** The program's files for a user: `trust.json` and `key`. Links on the way are the user's own, such as `~/.config` in a repository. */
export function userFolder(env: UserEnvironment = process.env): string {
  return realPath(join(configHome(env), 'orchestrate'));
}

/** The program's state for a user, which no one edits: the token of the page, and who serves which workspace. */
export function userStateFolder(
  env: UserEnvironment = process.env,
  platform: NodeJS.Platform = process.platform,
): string {
  const xdg = env['XDG_STATE_HOME'];
  if (xdg !== undefined && isAbsolute(xdg)) return realPath(join(xdg, 'orchestrate'));
  return realPath(
    platform === 'linux'
      ? join(env['HOME'] || os.homedir(), '.local', 'state', 'orchestrate')
      : join(configHome(env, platform), 'orchestrate', 'state'),
  );
}

/** What can be made again: copies of repositories, compiled code. */
export function userCacheFolder(env: UserEnvironment = process.env): string {
  const xdg = env['XDG_CACHE_HOME'];
  const caches = xdg !== undefined && isAbsolute(xdg) ? xdg : join(env['HOME'] || os.homedir(), '.cache');
  return realPath(join(caches, 'orchestrate'));
}
