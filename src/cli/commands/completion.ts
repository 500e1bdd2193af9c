import { Argument, type Command } from 'commander';
import { completionScript, SHELLS, type Shell } from '../completion/scripts.ts';
import type { CliContext } from '../context.ts';

export function define(command: Command, context: CliContext): void {
  command
    .addArgument(new Argument('<shell>', 'shell to complete in').choices(SHELLS))
    .addHelpText(
      'after',
      `
Example:
  eval "$(orchestrate completion bash)"     # in ~/.bashrc
  eval "$(orchestrate completion zsh)"      # in ~/.zshrc, after compinit
  orchestrate completion fish > ~/.config/fish/completions/orchestrate.fish`,
    )
    .action((shell: Shell) => context.out(completionScript(shell)));
}
