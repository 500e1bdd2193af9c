/**
 * How this program calls git, everywhere. An agent can write hooks, and a repository can configure them: our git commands
 * never run any, nor a file system monitor. Both settings also apply in submodules. By default, git does not sync the objects it writes:
 * after a power loss a branch could lead to empty files, so here everything is synced, all objects of a call together. It also gives up almost at
 * once when another git is writing refs: here it waits, because on a busy machine that takes longer than usual.
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
  'core.filesRefLockTimeout=10000',
  'core.packedRefsTimeout=10000',
  'reftable.lockTimeout=10000',
] as const;
