/**
 * The files that a workflow in code may import from its workspace, found without loading it: every file that a relative path between quotes in its
 * text leads to, and so on. That is rather too many than too few; what is computed, and packages, are not found.
 */
import fs from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { readForeign } from '../../store/read-foreign.ts';
import { isInside } from '../../store/relative-path.ts';

const RELATIVE = /['"`](\.{1,2}\/[^'"`\n]*)['"`]/g;
/** Node needs the ending; a compiler may have replaced it, or added it. */
const ENDINGS = ['', '.ts', '.mts', '.js', '.mjs', '.cjs', '.json', '/index.ts', '/index.js', '/index.mjs'];

/** Workspace-relative, without the file itself. */
export function importedFiles(workspace: string, file: string): readonly string[] {
  const found = new Set([file]);
  for (const each of found) {
    if (!/\.[cm]?[jt]s$/.test(each)) continue;
    for (const [, path = ''] of textOf(join(workspace, each)).matchAll(RELATIVE))
      for (const place of placesOf(join(workspace, dirname(each), path))) {
        const real = realPathOf(place);
        if (real !== undefined && isInside(workspace, real)) found.add(relative(workspace, real));
      }
  }
  found.delete(file);
  return [...found];
}

function placesOf(path: string): readonly string[] {
  const bare = path.replace(/\.([cm]?)js$/, '.$1ts');
  return [...ENDINGS.map((ending) => `${path}${ending}`), bare];
}

/** Undefined if there is no such file. */
function realPathOf(path: string): string | undefined {
  try {
    return fs.statSync(path).isFile() ? fs.realpathSync(path) : undefined;
  } catch {
    return undefined;
  }
}

/** One that cannot be read cannot be loaded either. */
function textOf(path: string): string {
  try {
    return readForeign(path);
  } catch {
    return '';
  }
}
