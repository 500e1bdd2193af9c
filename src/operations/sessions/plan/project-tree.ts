import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import { join } from 'node:path';
import { gitArgv } from '../../../process/git-argv.ts';
import type { Site } from '../../site.ts';

const MOST_FILES = 1500;
const LEFT_OUT: ReadonlySet<string> = new Set(['.git', 'node_modules', '.orchestrate', '.workflow']);

/** The project's files: those git lists, or without git those on disk. */
export function projectTree({
  workspace,
  environment,
}: Pick<Site, 'workspace' | 'environment'>): readonly string[] {
  const [program = '', ...argv] = gitArgv(['ls-files', '-z', '--cached', '--others', '--exclude-standard']);
  const listed = spawnSync(program, argv, {
    cwd: workspace,
    env: environment,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
  const all =
    listed.status === 0 ? listed.stdout.split('\0').filter((path) => path !== '') : [...walk(workspace, '')];
  const files = all.filter((path) => !LEFT_OUT.has(path.split('/')[0] ?? '')).sort();
  if (files.length <= MOST_FILES) return files;
  return [...files.slice(0, MOST_FILES), `… and ${files.length - MOST_FILES} more`];
}

function* walk(workspace: string, folder: string): Generator<string> {
  const entries = fs.readdirSync(join(workspace, folder), { withFileTypes: true });
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    if (LEFT_OUT.has(entry.name)) continue;
    const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
    if (entry.isDirectory()) yield* walk(workspace, path);
    else if (entry.isFile()) yield path;
  }
}
