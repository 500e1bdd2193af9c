/**
 * How this program calls git, everywhere. An agent can write hooks, and a repository can configure them: our git commands
 * never run any, nor a file system monitor. Both settings also apply in submodules. By default, git does not sync the objects it writes:
 * after a power loss a branch could lead to empty files, so here everything is synced, all objects of a call together.
 */
export function gitArgv(argv: readonly string[]): readonly string[] {
  return ['git', ...SETTINGS.flatMap((setting) => ['-c', setting]), ...argv];
}

const SETTINGS = [
  'core.hooksPath=/dev/null',
  'core.fsmonitor=false',
  'core.safecrlf=false',
  'core.fsync=all',
  'core.fsyncMethod=batch',
] as const;
