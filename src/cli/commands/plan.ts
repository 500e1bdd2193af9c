import type { Command } from 'commander';
import type { CliContext } from '../context.ts';
import { path } from '../path-argument.ts';
import { addEngineOption, addOutputOptions } from '../run-options.ts';
import { withEngine } from '../running/uses-workers.ts';
import { addAgentOptions } from '../session/agent-options.ts';
import type { PlanFlags } from '../session/plan-session.ts';

export function define(command: Command, context: CliContext): void {
  addEngineOption(
    addOutputOptions(
      addAgentOptions(
        command
          .argument('[text]', 'request to plan')
          .option('--file <file>', 'read the request from this file', path)
          .option('--issue <file>', 'read an issue from this file (`-`: standard input)', path)
          .option(
            '--issues <source>',
            'plan several issues: a JSON file (`-`: standard input), or gh: for those of the repository',
            path,
          )
          .option(
            '--from <file>',
            'import tasks from a JSON file instead of asking an agent: {"tasks": […]}',
            path,
          )
          .option('--session <id>', 'session to use (default: active)'),
      ),
    ),
  )
    .addHelpText(
      'after',
      '\nExample:\n  orchestrate plan "Add login with JWT"\n  gh issue view 42 | orchestrate plan --issue -\n  orchestrate plan --issues gh:bug\n  orchestrate plan --from tasks.json',
    )
    .action(async (text: string | undefined, flags: PlanFlags) => {
      const { planSession } = await import('../session/plan-session.ts');
      context.exitCode = await planSession(context, text, await withEngine(context, flags));
    });
}
