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
    .argument('<run>', 'run id, unique prefix of one, or `last`')
    .argument('<step>', 'step that asks the question')
    .requiredOption('--choose <choice>', 'one of the choices it offers')
    .option('--comment <text>', 'comment recorded with the answer')
    .option('--by <name>', 'name of the person or program that answers')
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
          `note: the file in its place was not an answer to this question; kept it as \`${keptAs}\`\n`,
        );
      const next = isTakenUp ? 'The run continues.' : `Continue with: orchestrate resume ${runId}`;
      context.err(`Recorded \`${choice}\` for \`${key}\`. ${next}\n`);
    });
}
