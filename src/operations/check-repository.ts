import { spawnSync } from 'node:child_process';
import { error, ok, type Result } from '../model/result.ts';
import { gitArgv } from '../process/git-argv.ts';
import type { NoRepository } from '../workflow/load/no-repository.ts';
import type { Problem } from './problem.ts';
import type { Site } from './site.ts';

type Place = Pick<Site, 'workspace' | 'environment'>;

/** Whether the workspace is in a working tree of git. */
export function isInRepository(place: Place): boolean {
  return whyNoRepository(place) === undefined;
}

/** Undefined: the workspace is in a working tree of git that can be used. */
export function whyNoRepository(place: Place): NoRepository | undefined {
  const { stdout, stderr, isStarted } = askGit(place, ['rev-parse', '--is-inside-work-tree']);
  if (stdout === 'true') return undefined;
  if (!isStarted) return { type: 'no-git' };
  if (stdout === 'false') return { type: 'no-files' };
  const [, folder] = /detected dubious ownership in repository at '(.+)'/.exec(stderr) ?? [];
  return folder === undefined ? { type: 'none' } : { type: 'untrusted', folder };
}

/** `what` needs git, such as an option. */
export function checkRepository(place: Place, what: string): Result<void, Problem> {
  const why = whyNoRepository(place);
  return why === undefined ? ok(undefined) : error({ type: 'needs-repository', what, why });
}

export function checkBranchName(place: Place, name: string): Result<void, Problem> {
  if (gitSays(place, ['check-ref-format', '--branch', name]) === name) return ok(undefined);
  return error({ type: 'invalid-branch-name', name });
}

/** What git printed; undefined if it failed. */
function gitSays(place: Place, argv: readonly string[]): string | undefined {
  return askGit(place, argv).stdout;
}

interface Asked {
  /** Undefined if it failed. */
  readonly stdout: string | undefined;
  readonly stderr: string;
  readonly isStarted: boolean;
}

function askGit({ workspace, environment }: Place, argv: readonly string[]): Asked {
  const [program = '', ...rest] = gitArgv(argv);
  const env = { ...environment, LC_ALL: 'C' };
  const {
    status,
    stdout,
    stderr,
    error: trouble,
  } = spawnSync(program, rest, {
    ...{ cwd: workspace, encoding: 'utf8', env },
  });
  return { stdout: status === 0 ? stdout.trim() : undefined, stderr, isStarted: trouble === undefined };
}
