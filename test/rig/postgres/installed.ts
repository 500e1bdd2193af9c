/** The programs of PostgreSQL that are installed: Debian's, or those in `PATH`. */
import fs from 'node:fs';
import path from 'node:path';

const OF_DEBIAN = '/usr/lib/postgresql';

export interface PostgresPrograms {
  readonly initdb: string;
  readonly postgres: string;
}

export function findInstalled(): PostgresPrograms | undefined {
  const folder = [...debianFolders(), ...(process.env['PATH'] ?? '').split(path.delimiter)].find(hasPrograms);
  return folder === undefined ? undefined : programsIn(folder);
}

export function programsIn(folder: string): PostgresPrograms {
  return { initdb: path.join(folder, 'initdb'), postgres: path.join(folder, 'postgres') };
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
