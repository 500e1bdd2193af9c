/** Words an answer that does not fit its question. */
import { type FieldProblem, wantedBy } from '../../model/field.ts';
import type { DescribedProblem } from '../../model/problem-form.ts';
import { nearest } from '../../model/suggest.ts';
import { unreachable } from '../../model/unreachable.ts';
import type { InvalidAnswer } from './run-problem.ts';

/** The first problem is the message, the others are details. */
export function describeAnswer({ key, choice, problems, fields }: InvalidAnswer): DescribedProblem {
  const choices = choice?.choices ?? [];
  const names = fields.map(({ name }) => name);
  const lines = [
    ...(choice === undefined ? [] : [choiceProblem(key, choice)]),
    ...problems.map((problem) => fieldProblem(problem, names)),
  ];
  const [message = `the answer to \`${key}\` is incomplete`, ...details] = lines;
  const help = [
    ...(choices.length === 0 ? [] : [`choose one of ${choices.join(', ')}`]),
    ...(problems.length === 0 || names.length === 0 ? [] : [`fields of \`${key}\`: ${names.join(', ')}`]),
  ];
  return { message, details, ...(help.length === 0 ? {} : { help: [help.join('; ')] }) };
}

function choiceProblem(key: string, { given, choices }: NonNullable<InvalidAnswer['choice']>): string {
  if (given === undefined) return `\`${key}\` needs a choice`;
  return choices.length === 0 ? `\`${key}\` offers no choices` : `unknown choice \`${given}\` for \`${key}\``;
}

function fieldProblem(problem: FieldProblem, names: readonly string[]): string {
  switch (problem.type) {
    case 'missing':
      return `the field \`${problem.field.name}\` is missing; it must be ${wantedBy(problem.field)}`;
    case 'invalid': {
      const { field, reason, meant } = problem;
      return `the field \`${field.name}\` ${reason}${meant === undefined ? '' : `; did you mean \`${meant}\`?`}`;
    }
    case 'unknown': {
      const meant = nearest(problem.name, names);
      return `unknown field \`${problem.name}\`${meant === undefined ? '' : `; did you mean \`${meant}\`?`}`;
    }
    default:
      return unreachable(problem);
  }
}
