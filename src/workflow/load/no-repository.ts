import { unreachable } from '../../model/unreachable.ts';

/** Why a workspace has no worktrees. `no-files`: a bare repository, or its own folder. `untrusted`: it belongs to another user. */
export type NoRepository =
  | { readonly type: 'none' | 'no-git' | 'no-files' }
  | { readonly type: 'untrusted'; readonly folder: string };

export function wordsFor(why: NoRepository): { readonly message: string; readonly help: string } {
  switch (why.type) {
    case 'none':
      return { message: 'the workspace is not in a git repository', help: 'create one: `git init`' };
    case 'no-git':
      return { message: 'git was not found', help: 'install git, or add it to PATH' };
    case 'no-files':
      return {
        message: 'the workspace is in a git repository without working files',
        help: 'use a clone of it: `git clone <repository>`',
      };
    case 'untrusted':
      return {
        message: `git does not use the repository \`${why.folder}\`, which belongs to another user`,
        help: `if you trust it: \`git config --global --add safe.directory ${why.folder}\``,
      };
    default:
      return unreachable(why);
  }
}
