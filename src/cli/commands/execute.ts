import { type Command, Option } from 'commander';
import type { CliContext } from '../context.ts';
import { addDetachOption, addEngineOption, addOutputOptions, atLeastOne } from '../run-options.ts';
import { withEngine } from '../running/uses-workers.ts';
import { addAgentOptions } from '../session/agent-options.ts';
import type { ExecuteFlags } from '../session/execute-session.ts';

export function define(command: Command, context: CliContext): void {
  addEngineOption(
    addDetachOption(
      addOutputOptions(
        addAgentOptions(
          command
            .argument('[tasks...]', 'tasks to execute (default: all open tasks)')
            .option('--session <id>', 'session to use (default: active)'),
        )
          .option('--max-parallel <n>', 'maximum number of tasks to run in parallel', atLeastOne, 1)
          .addOption(
            new Option('--on-failure <what>', 'what to do with other tasks when one fails')
              .choices(['stop', 'continue'])
              .default('stop'),
          )
          .option('--with-commit', 'commit the files of each completed task')
          .option('--worktree', 'run each task in its own git worktree; merge it as soon as it ends')
          .option('--review', 'ask before the work of a task is merged; implies --worktree')
          .option('--dry-run', 'show what would be executed and do nothing'),
      ),
    ),
  )
    .addHelpText(
      'after',
      '\nExample:\n  orchestrate execute --max-parallel 3 --on-failure continue\n  orchestrate execute IMPL-2 --agent codex',
    )
    .action(async (tasks: readonly string[], flags: ExecuteFlags) => {
      const { executeSession } = await import('../session/execute-session.ts');
      context.exitCode = await executeSession(context, tasks, await withEngine(context, flags));
    });
}
