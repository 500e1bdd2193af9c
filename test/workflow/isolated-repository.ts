import { execFileSync } from 'node:child_process';
import { expect } from 'vitest';
import { Workspace } from '../rig/orchestrate.ts';

/** A workspace that is a git repository with one commit. */
export function repository(files: { readonly [path: string]: string }): Workspace & {
  git(...argv: readonly string[]): string;
  nothingIsLeft(): void;
} {
  const workspace = new Workspace({ '.gitignore': '.orchestrate/\n.config/\nignored/\nlog\n', ...files });
  const git = (...argv: readonly string[]): string =>
    execFileSync('git', ['-C', workspace.folder, ...argv], { encoding: 'utf8' });
  git('init', '--quiet', '--initial-branch=main');
  git('config', 'user.name', 'Test');
  git('config', 'user.email', 'test@example.com');
  git('add', '--all');
  git('commit', '--quiet', '--message', 'first');
  const nothingIsLeft = (): void => {
    expect(git('for-each-ref', '--format=%(refname)')).toBe('refs/heads/main\n');
    expect(git('worktree', 'list', '--porcelain').match(/^worktree /gm)).toHaveLength(1);
  };
  return Object.assign(workspace, { git, nothingIsLeft });
}
