import type { Command } from 'commander';
import { answerQuestion } from '../../operations/runs/answer-question.ts';
import type { CliContext } from '../context.ts';
import { refuse } from '../refuse.ts';
import { siteOf } from '../site.ts';

interface ApproveFlags {
  readonly choose: string;
  readonly comment?: string;
  readonly by?: string;
}

export function define(command: Command, context: CliContext): void {
  command
    .argument('<run>', 'its id, the beginning of it, or `last`')
    .argument('<step>', 'the step that asks')
    .requiredOption('--choose <choice>', 'one of the choices it gives')
    .option('--comment <text>', 'kept with the answer')
    .option('--by <name>', 'who answers')
    .addHelpText(
      'after',
      '\nExample:\n  orchestrate approve last Release --choose yes --comment "looks good"',
    )
    .action((run: string, question: string, { choose: choice, comment, by }: ApproveFlags) => {
      const answered = answerQuestion(siteOf(context), { run, question, choice, comment, by });
      if (answered.type === 'error') {
        refuse(context, answered.error);
        return;
      }
      const { runId, key, isTakenUp, keptAs } = answered.value;
      if (keptAs !== undefined)
        context.err(
          `note: what stood in its place is no answer to this question; it is kept as \`${keptAs}\`\n`,
        );
      const then = isTakenUp ? 'the run goes on' : `\`orchestrate resume ${runId}\` goes on`;
      context.err(`\`${key}\`: ${choice}; ${then}\n`);
    });
}
