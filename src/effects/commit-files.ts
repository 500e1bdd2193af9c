import type { Effect } from '../engine/durable.ts';
import type { RunProcess } from '../process/run-process.ts';
import { resolveInside } from '../store/safe-path.ts';
import type { CommitFilesInput, CommitFilesOutput } from './contracts.ts';
import { createGit, type Git, type GitEnd, gitFailure, splitZero } from './git.ts';

/** Commits these files and no others; what a person has staged besides stays staged. Doing it twice is harmless. */
export function createCommitFiles(run: RunProcess): Effect<CommitFilesInput, CommitFilesOutput> {
  return async (input, context) => {
    const folder = resolveInside(context.run.workspace, input.cwd ?? '.');
    if (folder.type === 'error') return { failure: folder.error };
    if (input.files.length === 0) return {};
    const git = createGit(run, context, folder.value);
    const added = await takeUp(git, input.files);
    if (added.exitCode !== 0) return { failure: gitFailure('take up the files', added) };
    const staged = await git([
      ...['diff', '--cached', '--name-only', '--no-renames', '--relative', '-z'],
      ...named(input.files),
    ]);
    if (staged.exitCode !== 0) return { failure: gitFailure('compare the files', staged) };
    const changed = splitZero(staged.stdout);
    if (changed.length > 0) {
      const done = await git(['commit', '--quiet', '--message', input.message, ...named(changed)]);
      if (done.exitCode !== 0) return { failure: gitFailure('commit', done) };
    }
    const head = await git(['rev-parse', '--verify', 'HEAD']);
    return head.exitCode === 0 ? { commit: head.stdout.trimEnd() } : {};
  };
}

/** Git refuses to be told of a file that is neither there nor known to it: one it never knew, or whose removal is staged already. */
async function takeUp(git: Git, files: readonly string[]): Promise<GitEnd> {
  const known = await git([
    ...['ls-files', '--cached', '--others', '--exclude-standard', '-z'],
    ...named(files),
  ]);
  const paths = splitZero(known.stdout);
  return known.exitCode !== 0 || paths.length === 0 ? known : git(['add', '--all', ...named(paths)]);
}

function named(paths: readonly string[]): readonly string[] {
  return ['--', ...paths.map((path) => `:(literal)${path}`)];
}
