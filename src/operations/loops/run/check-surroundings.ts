/** What a run needs besides its agent, checked before its first iteration: the programs of its checks, and git. */
import fs from 'node:fs';
import { resolve } from 'node:path';
import type { IterateInput } from '../../../iterate/input.ts';
import { error, ok, type Result } from '../../../model/result.ts';
import { findProgram } from '../../../process/find-program.ts';
import { quoteWords } from '../../../template/quote.ts';
import { checkBranchName, checkRepository } from '../../check-repository.ts';
import type { Problem } from '../../problem.ts';
import type { Site } from '../../site.ts';

/** Returns warnings. */
export function checkSurroundings(
  site: Site,
  input: IterateInput,
  { onWorkers }: { readonly onWorkers: boolean },
): Result<readonly string[], Problem> {
  if (input.dryRun === true) return ok([]);
  const git = checkGit(site, input);
  if (git.type === 'error') return git;
  // Which programs other machines have is seen there.
  if (onWorkers) return ok([]);
  const warnings: string[] = [];
  for (const argv of input.checks) {
    const [program = ''] = argv;
    const command = quoteWords(argv);
    // A script of the project may be a part of the task.
    if (program.includes('/')) {
      if (!fs.existsSync(resolve(site.workspace, program)))
        warnings.push(`warning: the check \`${command}\` cannot be run yet: \`${program}\` does not exist`);
    } else if (findProgram(program, site.environment['PATH']) === undefined)
      return error({ type: 'check-program-missing', command, program });
  }
  return ok(warnings);
}

function checkGit(site: Site, { git }: IterateInput): Result<void, Problem> {
  if (git === undefined) return ok(undefined);
  const what = git.worktree
    ? '`git.worktree`'
    : git.branch === undefined
      ? '`git.checkpoint`'
      : '`git.branch`';
  const repository = checkRepository(site, what);
  if (repository.type === 'error' || git.branch === undefined) return repository;
  return checkBranchName(site, git.branch);
}
