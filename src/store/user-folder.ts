/** Where a user's own settings lie, outside every project. */
import os from 'node:os';
import { isAbsolute, join } from 'node:path';

export type UserEnvironment = { readonly [name: string]: string | undefined };

/** The folder in which programs keep the settings of a user. A relative `XDG_CONFIG_HOME` would lie in the project: it does not count. */
export function configHome(env: UserEnvironment, platform: NodeJS.Platform = process.platform): string {
  const home = env['HOME'] || os.homedir();
  if (platform === 'win32') return env['APPDATA'] || join(home, 'AppData', 'Roaming');
  const xdg = env['XDG_CONFIG_HOME'];
  if (xdg !== undefined && isAbsolute(xdg)) return xdg;
  return platform === 'darwin' ? join(home, 'Library', 'Application Support') : join(home, '.config');
}

/** What this program keeps of a user: `trust.json` and `key`. */
export function userFolder(env: UserEnvironment = process.env): string {
  return join(configHome(env), 'orchestrate');
}
