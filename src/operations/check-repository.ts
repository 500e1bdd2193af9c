import { spawnSync } from 'node:child_process';
import { error, ok, type Result } from '../model/result.ts';
import { gitArgv } from '../process/git-argv.ts';
import type { Problem } from './problem.ts';
import type { Site } from './site.ts';

type Place = Pick<Site, 'workspace' | 'environment'>;

/** Whether the workspace is in a working tree of git. */
export function isInRepository(place: Place): boolean {
  return gitSays(place, ['rev-parse', '--is-inside-work-tree']) === 'true';
}

/** `what` needs git, such as an option. */
export function checkRepository(place: Place, what: string): Result<void, Problem> {
  if (isInRepository(place)) return ok(undefined);
  return error({ type: 'needs-repository', what });
}

export function checkBranchName(place: Place, name: string): Result<void, Problem> {
  if (gitSays(place, ['check-ref-format', '--branch', name]) === name) return ok(undefined);
  return error({ type: 'invalid-branch-name', name });
}

/** What git printed; undefined if it failed. */
function gitSays({ workspace, environment }: Place, argv: readonly string[]): string | undefined {
  const [program = '', ...rest] = gitArgv(argv);
  const asked = spawnSync(program, rest, { cwd: workspace, encoding: 'utf8', env: environment });
  return asked.status === 0 ? asked.stdout.trim() : undefined;
}
