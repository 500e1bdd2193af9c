import { type Command, Option } from 'commander';
import type { CliContext } from '../context.ts';
import { addOutputOptions, atLeastOne } from '../run-options.ts';
import { addAgentOptions } from '../session/agent-options.ts';
import type { ExecuteFlags } from '../session/execute-session.ts';

export function define(command: Command, context: CliContext): void {
  addOutputOptions(
    addAgentOptions(
      command
        .argument('[tasks...]', 'only these; all that are open where absent')
        .option('--session <id>', 'another session than the active one'),
    )
      .option('--max-parallel <n>', 'how many tasks may run side by side', atLeastOne, 1)
      .addOption(
        new Option('--on-failure <what>', 'what a blocked task means for the others')
          .choices(['stop', 'continue'])
          .default('stop'),
      )
      .option('--with-commit', 'commit the files of each task when it is completed')
      .option('--worktree', 'each task in a git worktree of its own, merged in the order of the ids')
      .option('--dry-run', 'say what would be executed, and do nothing'),
  )
    .addHelpText(
      'after',
      '\nExample:\n  orchestrate execute --max-parallel 3 --on-failure continue\n  orchestrate execute IMPL-2 --agent codex',
    )
    .action(async (tasks: readonly string[], flags: ExecuteFlags) => {
      const { executeSession } = await import('../session/execute-session.ts');
      context.exitCode = await executeSession(context, tasks, flags);
    });
}
