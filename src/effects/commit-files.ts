import type { Effect } from '../engine/durable.ts';
import type { RunProcess } from '../process/run-process.ts';
import { resolveInside } from '../store/safe-path.ts';
import type { CommitFilesInput, CommitFilesOutput } from './contracts.ts';
import { createGit, gitFailure } from './git.ts';

/** Commits these files and no others; what a person has staged besides stays staged. Doing it twice is harmless. */
export function createCommitFiles(run: RunProcess): Effect<CommitFilesInput, CommitFilesOutput> {
  return async (input, context) => {
    const folder = resolveInside(context.run.workspace, input.cwd ?? '.');
    if (folder.type === 'error') return { failure: folder.error };
    if (input.files.length === 0) return {};
    const git = createGit(run, context, folder.value);
    const files = input.files.map((path) => `:(literal)${path}`);
    const added = await git(['add', '--all', '--', ...files]);
    // A file that was made and removed again since is known to nobody.
    if (added.exitCode !== 0) return { failure: gitFailure('take up the files', added) };
    const differs = await git(['diff', '--cached', '--quiet', '--', ...files]);
    if (differs.exitCode === 0) {
      const head = await git(['rev-parse', '--verify', 'HEAD']);
      return head.exitCode === 0 ? { commit: head.stdout.trimEnd() } : {};
    }
    const done = await git(['commit', '--quiet', '--message', input.message, '--', ...files]);
    if (done.exitCode !== 0) return { failure: gitFailure('commit', done) };
    const head = await git(['rev-parse', '--verify', 'HEAD']);
    return { commit: head.stdout.trimEnd() };
  };
}
