/**
 * How this program calls git, everywhere. An agent can write hooks, and a repository can configure them: our git commands
 * never run any, nor a file system monitor. Both settings also apply in submodules.
 */
export function gitArgv(argv: readonly string[]): readonly string[] {
  return ['git', '-c', 'core.hooksPath=/dev/null', '-c', 'core.fsmonitor=false', ...argv];
}
