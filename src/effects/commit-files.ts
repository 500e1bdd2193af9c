import type { Effect } from '../engine/durable.ts';
import type { RunProcess } from '../process/run-process.ts';
import { resolveInside } from '../store/safe-path.ts';
import type { CommitFilesInput, CommitFilesOutput } from './contracts.ts';
import { createGit, type Git, type GitEnd, gitFailure, splitZero } from './git.ts';

/** Commits these files and no others; the user's other staged changes stay staged. Safe to repeat. */
export function createCommitFiles(run: RunProcess): Effect<CommitFilesInput, CommitFilesOutput> {
  return async (input, context) => {
    const folder = resolveInside(context.run.workspace, input.cwd ?? '.');
    if (folder.type === 'error') return { failure: folder.error };
    if (input.files.length === 0) return {};
    const git = createGit(run, context, folder.value);
    const changed: string[] = [];
    for (const files of batches(input.files)) {
      const added = await takeUp(git, files);
      if (added.exitCode !== 0) return { failure: gitFailure('add the files', added) };
      const staged = await git([
        ...['diff', '--cached', '--name-only', '--no-renames', '--relative', '-z'],
        ...named(files),
      ]);
      if (staged.exitCode !== 0) return { failure: gitFailure('compare the files', staged) };
      for (const path of splitZero(staged.stdout)) changed.push(path);
    }
    if (changed.length > 0) {
      const done = await git(
        ['commit', '--quiet', '--message', input.message, '--pathspec-from-file=-', '--pathspec-file-nul'],
        { stdin: changed.map(literal).join('\0') },
      );
      if (done.exitCode !== 0) return { failure: gitFailure('commit', done) };
    }
    const commit = changed.length > 0 ? undefined : await lastCommitOf(git, input.files);
    const head = commit ?? (await git(['rev-parse', '--verify', 'HEAD'])).stdout.trimEnd();
    return head === '' ? {} : { commit: head };
  };
}

/** They were committed before, by an interrupted attempt, and others may have committed since. */
async function lastCommitOf(git: Git, files: readonly string[]): Promise<string | undefined> {
  const [some = []] = batches(files);
  const found = await git(['rev-list', '--max-count=1', 'HEAD', ...named(some)]);
  return found.stdout.trimEnd() || undefined;
}

/** The system limits the length of a command line. */
const BATCH_BYTES = 64 * 1024;

function batches(files: readonly string[]): readonly (readonly string[])[] {
  const all: string[][] = [];
  let room = 0;
  for (const file of files) {
    const bytes = Buffer.byteLength(literal(file)) + 1;
    if (room < bytes) {
      all.push([]);
      room = BATCH_BYTES;
    }
    all.at(-1)?.push(file);
    room -= bytes;
  }
  return all;
}

/** Git rejects a path that neither exists nor is tracked: a file it never knew, or whose removal is already staged. */
async function takeUp(git: Git, files: readonly string[]): Promise<GitEnd> {
  const known = await git([
    ...['ls-files', '--cached', '--others', '--exclude-standard', '-z'],
    ...named(files),
  ]);
  const paths = splitZero(known.stdout);
  return known.exitCode !== 0 || paths.length === 0 ? known : git(['add', '--all', ...named(paths)]);
}

function named(paths: readonly string[]): readonly string[] {
  return ['--', ...paths.map(literal)];
}

function literal(path: string): string {
  return `:(literal)${path}`;
}
