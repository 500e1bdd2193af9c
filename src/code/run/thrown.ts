/** What something that was thrown says: also what caused it, since `fetch failed` alone does not say why. */
import { inspect } from 'node:util';
import { Mistake } from './mistake.ts';

/** Causes of causes, and errors of an `AggregateError`, that are shown. */
const MOST_CAUSES = 5;
/** The journal and every view have the words; an error may carry a whole document. */
const MOST_CHARACTERS = 4000;

export function wordsOfThrown(problem: unknown): string {
  const words = wholeWords(problem);
  const left = words.length - MOST_CHARACTERS;
  return left > 0 ? `${words.slice(0, MOST_CHARACTERS)}… (${left} more characters)` : words;
}

function wholeWords(problem: unknown): string {
  if (!(problem instanceof Error)) return `it threw ${shown(problem)}`;
  const first = ownWords(problem);
  const causes: string[] = [];
  for (const cause of causesOf(problem).slice(0, MOST_CAUSES)) {
    const words = cause instanceof Error ? ownWords(cause) : shown(cause);
    const message = cause instanceof Error && cause.message !== '' ? cause.message : words;
    // Who wraps an error often repeats its message.
    if (![first, ...causes].some((each) => tells(each, message))) causes.push(words);
  }
  return causes.length === 0 ? first : `${first}; caused by ${causes.join('; ')}`;
}

/** The stacks, that of the error itself first. */
export function stackOfThrown(problem: unknown): string {
  if (!(problem instanceof Error)) return '';
  const stacks = [problem, ...causesOf(problem)].map((each) => (each instanceof Error ? each.stack : ''));
  return stacks.join('\n');
}

function ownWords(problem: Error): string {
  if (problem instanceof Mistake) return problem.message;
  return problem.message === '' ? problem.name : `${problem.name}: ${problem.message}`;
}

/** As words of their own: `none worked` does not tell `one`. */
function tells(text: string, message: string): boolean {
  const at = text.indexOf(message);
  const around = `${text[at - 1] ?? ''}${text[at + message.length] ?? ''}`;
  return at !== -1 && !/\w/.test(around);
}

function shown(value: unknown): string {
  return inspect(value, { depth: 2, breakLength: Number.POSITIVE_INFINITY });
}

/** Nearest first; an error that contains itself is shown once. */
function causesOf(problem: Error): readonly unknown[] {
  const found = new Set<unknown>([problem]);
  for (const each of found) {
    if (!(each instanceof Error)) continue;
    if (each.cause !== undefined) found.add(each.cause);
    if (each instanceof AggregateError) for (const inner of each.errors) found.add(inner);
    if (found.size > 4 * MOST_CAUSES) break;
  }
  found.delete(problem);
  return [...found];
}
