/**
 * How this program calls git, everywhere. An agent can write hooks, and a repository can name them in its settings: none is run by what we
 * ask of git, whatever the command, and neither is a program that watches the files for it. Both settings also hold in submodules.
 */
export function gitArgv(argv: readonly string[]): readonly string[] {
  return ['git', '-c', 'core.hooksPath=/dev/null', '-c', 'core.fsmonitor=false', ...argv];
}
