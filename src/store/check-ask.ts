/** Finds mistakes in the rules of `ask` that their schema cannot: a rule that never matches must not look as if it did. */
import type { AskRule } from '../model/ask-rule.ts';
import { expandBraces } from './expand-braces.ts';
import { matchesText } from './glob-pattern.ts';

export interface AskProblem {
  readonly index: number;
  readonly key: 'tool' | 'command' | 'path';
  readonly message: string;
  readonly help: string;
}

export function checkAsk(rules: readonly AskRule[]): readonly AskProblem[] {
  return rules.flatMap((rule, index) => problemsOf(rule).map((problem) => ({ index, ...problem })));
}

function problemsOf({ tools, command, path }: AskRule): readonly Omit<AskProblem, 'index'>[] {
  const problems: Omit<AskProblem, 'index'>[] = [];
  if (command !== undefined && path !== undefined)
    problems.push({
      ...{ key: 'path', message: 'a rule has either `command` or `path`: no tool call has both' },
      help: 'write two rules',
    });
  if (path !== undefined && tools?.includes('Bash') === true)
    problems.push({
      ...{ key: 'path', message: '`path` does not apply to `Bash`: what a command touches is not known' },
      help: 'use `command`, or a `sandbox`',
    });
  if (path?.split('/').includes('..') === true)
    problems.push({
      ...{ key: 'path', message: `\`${path}\` contains \`..\`; paths are resolved before they are compared` },
      help: 'write the path without it, or an absolute path',
    });
  for (const [key, glob] of [
    ['command', command],
    ['path', path],
    ...(tools ?? []).map((tool) => ['tool', tool] as const),
  ] as const) {
    const read = glob === undefined ? undefined : readGlob(glob);
    if (read !== undefined)
      problems.push({ key, message: `\`${glob}\` ${read}`, help: 'write a shorter glob, or several rules' });
  }
  return problems;
}

/** Why it cannot be read. */
function readGlob(glob: string): string | undefined {
  const text = matchesText(glob, '');
  if (text.type === 'error') return text.error;
  const expanded = expandBraces(glob);
  return expanded.type === 'error' ? expanded.error : undefined;
}
