import type { Effect } from '../engine/durable.ts';
import { gitFailure } from '../git/git.ts';
import { inTurn } from '../git/in-turn.ts';
import { commitNamed, openRepository } from '../git/repository.ts';
import type { EffectOutput } from '../model/record.ts';
import { error, ok } from '../model/result.ts';
import type { RunProcess } from '../process/run-process.ts';
import { resolveInside } from '../store/safe-path.ts';
import type { SwitchBranchInput } from './contracts.ts';
import { createGit } from './effect-git.ts';

/**
 * Uncommitted changes are taken along; git refuses if they would be overwritten. A new branch starts at the commit of the workspace, also in
 * a worktree, which may have started with uncommitted changes of the user. Safe to repeat.
 */
export function createSwitchBranch(run: RunProcess): Effect<SwitchBranchInput, EffectOutput> {
  return async ({ branch, cwd = '.' }, context) => {
    const folder = resolveInside(context.run.workspace, cwd);
    if (folder.type === 'error') return { failure: folder.error };
    const repository = await openRepository(createGit(run, context, folder.value));
    if (repository.type === 'error') return { failure: repository.error };
    const { git } = repository.value;
    const done = await inTurn(repository.value, context.signal, async () => {
      const current = await git(['symbolic-ref', '--quiet', '--short', 'HEAD']);
      if (current.stdout.trimEnd() === branch) return ok(undefined);
      const known = await commitNamed(git, `refs/heads/${branch}`);
      const start = await commitNamed(git, 'HEAD', context.run.workspace);
      const flags =
        known === undefined ? ['--create', branch, ...(start === undefined ? [] : [start])] : [branch];
      const switched = await git(['switch', '--quiet', '--no-guess', ...flags]);
      return switched.exitCode === 0
        ? ok(undefined)
        : error(gitFailure(`switch to branch \`${branch}\``, switched));
    });
    return done.type === 'ok' ? {} : { failure: done.error };
  };
}
