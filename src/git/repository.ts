import fs from 'node:fs';
import { basename, join } from 'node:path';
import type { Failure } from '../model/failure.ts';
import { error, ok, type Result } from '../model/result.ts';
import { failedGit, type Git, gitFailure } from './git.ts';

/** A repository as seen from one folder: the workspace, or a worktree. */
export interface Repository {
  /** Runs in that folder. */
  readonly git: Git;
  /** Absolute path of the top of its working tree. */
  readonly top: string;
  /** The folder, relative to the top: `` or `sub/folder/`. */
  readonly prefix: string;
  /** Absolute paths: what the worktrees share, and what belongs to this one alone. */
  readonly commonDir: string;
  readonly gitDir: string;
}

export async function openRepository(git: Git): Promise<Result<Repository, Failure>> {
  const asked = await git([
    ...['rev-parse', '--path-format=absolute'],
    ...['--show-toplevel', '--git-common-dir', '--git-dir', '--show-prefix'],
  ]);
  if (asked.exitCode !== 0) return error(gitFailure('find its repository', asked));
  const [top = '', commonDir = '', gitDir = '', prefix = ''] = asked.stdout.split('\n');
  // Only the folder of a linked worktree has one, and that is not `.git`. It would replace all settings, filters and hooks.
  if (basename(gitDir) === '.git' && fs.existsSync(join(gitDir, 'commondir')))
    return error(
      failedGit(
        `uses the settings of another repository because of \`${gitDir}/commondir\`; remove that file`,
      ),
    );
  return ok({ git, top, prefix, commonDir, gitDir });
}

/** The commit of HEAD; undefined in a repository without commits. */
export async function headOf(git: Git, cwd?: string): Promise<string | undefined> {
  return commitNamed(git, 'HEAD', cwd);
}

/** The commit of a ref, if there is one. */
export async function commitNamed(git: Git, name: string, cwd?: string): Promise<string | undefined> {
  const found = await git(
    ['rev-parse', '--verify', '--quiet', `${name}^{commit}`],
    cwd === undefined ? {} : { cwd },
  );
  return found.exitCode === 0 ? found.stdout.trimEnd() : undefined;
}

/** The tree of a commit; without one, the tree without files. */
export async function treeOf(git: Git, commit: string | undefined): Promise<Result<string, Failure>> {
  const found =
    commit === undefined
      ? await git(['hash-object', '-t', 'tree', '--stdin', '-w'], { stdin: '' })
      : await git(['rev-parse', '--verify', '--quiet', `${commit}^{tree}`]);
  return found.exitCode === 0 ? ok(found.stdout.trimEnd()) : error(gitFailure('find a tree', found));
}
