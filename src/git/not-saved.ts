/**
 * What is in the folder of a worktree and not in the tree that was made of it. Git leaves out what is in a repository of its own, as a tool that
 * sets up a project often makes one, in a submodule, and files that it cannot read. It would be lost with the folder.
 */
import fs from 'node:fs';
import { join } from 'node:path';
import type { Failure } from '../model/failure.ts';
import { ok, type Result } from '../model/result.ts';
import { realPath } from '../store/own-path.ts';
import { isPartOf } from '../store/portable-path.ts';
import { type Git, printed, splitZero } from './git.ts';
import type { Repository } from './repository.ts';
import { entriesBetween, exceptPaths, type WantedFiles } from './trees.ts';

export const SUBMODULE = '160000';

export interface SavedFiles {
  /** The commit that the folder started with, and the tree that was made of its files. */
  readonly base: string;
  readonly tree: string;
  /** Absolute: the index of that tree. */
  readonly index: string;
  readonly except: WantedFiles['except'];
}

export interface NotSaved {
  /** From the top. */
  readonly path: string;
  readonly type: 'repository' | 'submodule' | 'unreadable';
}

export async function notSaved(
  repository: Repository,
  saved: SavedFiles,
): Promise<Result<readonly NotSaved[], Failure>> {
  const left = await leftOut(repository, saved);
  if (left.type === 'error') return left;
  const entries = await entriesBetween(repository.git, saved.base, saved.tree);
  if (entries.type === 'error') return entries;
  const linked = entries.value
    .filter(({ newMode }) => newMode === SUBMODULE)
    .map(({ path, oldMode }): NotSaved => {
      return { path, type: oldMode === SUBMODULE ? 'submodule' : 'repository' };
    });
  const changed: NotSaved[] = [];
  const submodules = await submodulesOf(repository, saved);
  for (const path of submodules)
    if (await hasWork(repository, path)) changed.push({ path, type: 'submodule' });
  const others = await repositoriesIn(repository.git, saved.base);
  if (others.type === 'error') return others;
  for (const path of others.value)
    if (!submodules.includes(path) && hasFiles(join(repository.top, path)))
      changed.push({ path, type: 'repository' });
  const all = [...linked, ...left.value, ...changed];
  return ok([...new Map(all.map((each) => [each.path, each])).values()]);
}

/** Untracked although everything was added. Git does not look into other repositories for it: their settings may be the agent's. */
async function leftOut(
  { git, top }: Repository,
  { index, except }: SavedFiles,
): Promise<Result<readonly NotSaved[], Failure>> {
  const asked = ['ls-files', '--others', '--exclude-standard', '--full-name', '-z', '--', ':/'];
  const others = await printed(git, [...asked, ...exceptPaths(except)], {
    ...{ doing: 'list what was not saved', env: { GIT_INDEX_FILE: index }, cwd: top },
  });
  if (others.type === 'error') return others;
  return ok(
    splitZero(others.value).map((name) => {
      const path = name.replace(/\/$/, '');
      return { path, type: isRepository(join(top, path)) ? 'repository' : 'unreadable' };
    }),
  );
}

/** As the work found them. */
async function submodulesOf({ git }: Repository, { base }: SavedFiles): Promise<readonly string[]> {
  const paths = ['-z', '--get-regexp', '^submodule\\..*\\.path$'];
  const listed = await git(['config', '--blob', `${base}:.gitmodules`, ...paths]);
  return splitZero(listed.stdout).map((line) => line.slice(line.indexOf('\n') + 1));
}

/** Git looks into a submodule only if its settings are those that it has in the repository. */
async function hasWork({ git, top, commonDir }: Repository, path: string): Promise<boolean> {
  const folder = join(top, path);
  if (!isRepository(folder)) return hasFiles(folder);
  const asked = await git(['rev-parse', '--absolute-git-dir'], { cwd: folder });
  if (asked.exitCode !== 0 || !isPartOf(realPath(commonDir), realPath(asked.stdout.trimEnd()))) return true;
  const status = await git(
    ['status', '--porcelain', '-z', '--untracked-files=normal', '--ignore-submodules=all'],
    { cwd: folder },
  );
  return status.exitCode !== 0 || status.stdout !== '';
}

/** Repositories inside the workspace that it does not have as submodules: empty folders for the work. */
async function repositoriesIn(git: Git, base: string): Promise<Result<readonly string[], Failure>> {
  const asked = ['diff-tree', '--root', '-r', '-z', '--raw', '--no-renames', '--no-commit-id', base];
  const listed = await printed(git, asked, { doing: 'read a commit' });
  if (listed.type === 'error') return listed;
  const parts = splitZero(listed.value);
  const linked = parts.filter((_, at) => at % 2 === 1 && parts[at - 1]?.split(' ')[1] === SUBMODULE);
  return ok(linked);
}

function isRepository(folder: string): boolean {
  return fs.existsSync(join(folder, '.git'));
}

function hasFiles(folder: string): boolean {
  const isFolder = fs.lstatSync(folder, { throwIfNoEntry: false })?.isDirectory() === true;
  return isFolder && fs.readdirSync(folder).length > 0;
}

/** Where it is, and what to do. */
export function notSavedFailure(folder: string, left: readonly [NotSaved, ...NotSaved[]]): Failure {
  const [{ path, type }, ...others] = left;
  const more = others.length === 0 ? '' : ` (and ${others.length} more like it)`;
  const work = path === '.' ? 'the work' : `the work in \`${path}\`${more}`;
  const message = `${work} cannot be merged: ${WHY[type]}. Everything is still in \`${folder}\`: ${WAY_OUT[type](path)}, and resume`;
  return { type: 'invalid-output', reason: 'invalid', message };
}

const WHY: { readonly [type in NotSaved['type']]: string } = {
  repository: 'it is a git repository of its own',
  submodule: 'it is in a submodule',
  unreadable: 'git cannot read it',
};

const WAY_OUT: { readonly [type in NotSaved['type']]: (path: string) => string } = {
  repository: (path) =>
    path === '.'
      ? 'remove `.git` there to merge the files without its history'
      : `remove \`${path}/.git\` there to merge the files without its history, or move \`${path}\` away`,
  submodule: (path) => `take over what you need of \`${path}\`, undo its changes there`,
  unreadable: (path) => `make \`${path}\` readable or remove it`,
};
