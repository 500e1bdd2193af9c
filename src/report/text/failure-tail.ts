import { lastLines } from './printable.ts';
import { cutTo } from './width.ts';

/** Columns of a line: one of a minified file or of JSON would fill the screen. */
const WIDEST_LINE = 500;

const EXPLAIN_THEMSELVES = ['agent', 'over-budget'];

/** The end of the output that explains a failure, with long lines shortened. */
export interface FailureTail {
  readonly stream: 'stderr' | 'stdout';
  readonly lines: readonly string[];
}

/**
 * The end of stderr, or of stdout if a command printed nothing else: tsc, eslint, pytest and git merge report errors there. The stdout of an
 * agent is its stream of events and explains nothing, and what was ended by a budget did not fail by what it printed.
 */
export function failureTail(
  failed: {
    readonly type: string;
    readonly stderr?: string | undefined;
    readonly stdout?: string | undefined;
  },
  most: number,
): FailureTail {
  const linesOf = (text = ''): readonly string[] =>
    lastLines(text, most).map((line) => cutTo(line, WIDEST_LINE));
  const stderr = linesOf(failed.stderr);
  if (stderr.some((line) => line.trim() !== '') || EXPLAIN_THEMSELVES.includes(failed.type))
    return { stream: 'stderr', lines: stderr };
  return { stream: 'stdout', lines: linesOf(failed.stdout) };
}
