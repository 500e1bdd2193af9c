import type { Command } from 'commander';
import type { Field } from '../../model/field.ts';
import { type JsonObject, jsonText } from '../../model/json.ts';
import { error, type Result } from '../../model/result.ts';
import { typedCommand } from '../../model/typed-command.ts';
import type { InvalidAnswer, Problem } from '../../operations/problem.ts';
import type { AnswerInput, QuestionAnswered } from '../../operations/runs/answer-question.ts';
import { answerAnyQuestion } from '../../operations/runs/change-on-workers.ts';
import { readQuestion } from '../../operations/runs/read-question.ts';
import type { Site } from '../../operations/site.ts';
import { readPairs } from '../../operations/workflows/given-context.ts';
import { printable } from '../../report/text/printable.ts';
import { canAsk } from '../ask-line.ts';
import type { CliContext } from '../context.ts';
import { siteWithWorkers } from '../reach-workers.ts';
import { refuse } from '../refuse.ts';
import { collect } from '../run-options.ts';

interface ApproveFlags {
  readonly choose?: string;
  readonly set?: readonly string[];
  readonly comment?: string;
  readonly by?: string;
}

export function define(command: Command, context: CliContext): void {
  command
    .argument('<run>', 'run id, unique prefix of one, or `last`')
    .argument('[step]', 'step that asks the question; needed if several do')
    .option('--choose <choice>', 'one of the choices it offers')
    .option('--set <name=value>', 'value of one of its fields (repeatable)', collect)
    .option('--comment <text>', 'comment recorded with the answer')
    .option('--by <name>', 'name of the person or program that answers')
    .addHelpText(
      'after',
      '\nOn a terminal, it asks for what is missing.\n\nExample:\n  orchestrate approve last Release --choose yes --comment "looks good"\n  orchestrate approve last Plan --set version=1.2 --set notify=true',
    )
    .action(async (run: string, question: string | undefined, flags: ApproveFlags) => {
      const site = await siteWithWorkers(context, run);
      const answered = await answer(context, site, { run, question: question ?? '', flags });
      await site.workers?.close();
      if (answered.type === 'error') {
        refuse(context, answered.error);
        return;
      }
      const { runId, key, choice, isTakenUp, keptAs } = answered.value;
      if (keptAs !== undefined)
        context.err(
          `note: the file in its place was not an answer to this question; kept it as \`${keptAs}\`\n`,
        );
      const next = isTakenUp ? 'The run continues.' : `Continue with: ${typedCommand(`resume ${runId}`)}`;
      const what = choice === undefined ? 'the answer' : `\`${choice}\``;
      context.err(`Recorded ${what} for \`${key}\`. ${next}\n`);
    });
}

async function answer(
  context: CliContext,
  site: Site,
  asked: { readonly run: string; readonly question: string; readonly flags: ApproveFlags },
): Promise<Result<QuestionAnswered, Problem>> {
  const { run, question, flags } = asked;
  const values = readPairs('--set', flags.set ?? []);
  if (values.type === 'error') return error({ type: 'invalid-pairs', reason: values.error });
  const { choose: choice, comment, by } = flags;
  const input: AnswerInput = { run, question, choice, values: values.value, comment, by };
  const first = await answerAnyQuestion(site, input);
  if (first.type === 'ok' || first.error.type !== 'invalid-answer' || !canAsk()) return first;
  showQuestion(context, site, { run, key: first.error.key });
  const completed = await complete(context, input, first.error);
  return completed === undefined ? first : answerAnyQuestion(site, completed);
}

/** For a person who is about to answer on a terminal. Text of agents cannot steer it. */
function showQuestion(
  context: CliContext,
  site: Site,
  asked: { readonly run: string; readonly key: string },
): void {
  const read = readQuestion(site, asked);
  if (read.type === 'error' || read.value === undefined) return;
  const { message, detail, diff, omittedLines, diffFile } = read.value;
  const more =
    omittedLines === undefined ? [] : [`… ${omittedLines} more lines in \`${diffFile}\` of the run`];
  const parts = [
    message,
    ...(detail === undefined ? [] : [detail]),
    ...(diff === undefined ? [] : [diff, ...more]),
  ];
  context.err(`${parts.map(printable).join('\n')}\n\n`);
}

/** Asks for the choice and the fields that were not given; undefined if something else is wrong, or nothing was answered. */
async function complete(
  context: CliContext,
  input: AnswerInput,
  { choice, problems, fields }: InvalidAnswer,
): Promise<AnswerInput | undefined> {
  if (choice?.given !== undefined || problems.some(({ type }) => type !== 'missing')) return undefined;
  const given: JsonObject = input.values ?? {};
  const wanted: Field[] = fields.filter(({ name }) => !Object.hasOwn(given, name));
  if (choice !== undefined)
    wanted.push({ name: 'choice', type: 'choice', required: true, choices: choice.choices });
  const { askFields } = await import('../ask-fields.ts');
  const { readInput } = await import('../../operations/workflows/workflow-inputs.ts');
  const answers = await askFields(context, wanted, (field, text) => readInput(context, field, text));
  if (answers === undefined) return undefined;
  const { choice: chosen, ...values } = answers;
  return {
    ...input,
    values: { ...given, ...values },
    ...(chosen === undefined ? {} : { choice: jsonText(chosen) }),
  };
}
