import type { Command } from 'commander';
import type { CliContext } from '../context.ts';
import { addOutputOptions } from '../run-options.ts';
import { addAgentOptions } from '../session/agent-options.ts';
import type { PlanFlags } from '../session/plan-session.ts';

export function define(command: Command, context: CliContext): void {
  addOutputOptions(
    addAgentOptions(
      command
        .argument('[text]', 'what is asked for')
        .option('--file <file>', 'what is asked for stands in this file')
        .option('--issue <file>', 'an issue as text, `-` for standard input')
        .option('--from <file>', 'take the tasks from a JSON file, without an agent: {"tasks": […]}')
        .option('--session <id>', 'another session than the active one'),
    ),
  )
    .addHelpText(
      'after',
      '\nExample:\n  orchestrate plan "Add login with JWT"\n  gh issue view 42 | orchestrate plan --issue -\n  orchestrate plan --from tasks.json',
    )
    .action(async (text: string | undefined, flags: PlanFlags) => {
      const { planSession } = await import('../session/plan-session.ts');
      context.exitCode = await planSession(context, text, flags);
    });
}
