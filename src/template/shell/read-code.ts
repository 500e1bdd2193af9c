import type { Cursor, Dialect, ScriptWord } from './cursor.ts';
import { joinFlows } from './flow/flow.ts';
import { addSink, gathering, readWithin } from './flow/gather.ts';
import { readList } from './read-commands.ts';

export function dialectOf(shell: string): Dialect {
  if (shell === 'bash' || shell === 'rbash') return 'bash';
  if (shell === 'zsh') return 'zsh';
  return /ksh|yash|posh/.test(shell) ? 'korn' : 'posix';
}

/**
 * Parses words that a shell runs as code, as those of `eval` and `bash -c`. Without `shell` it is this shell. Known words are parsed
 * like the script itself; unknown ones may contain no value and name no variable that contains one.
 */
export function readCode(
  cursor: Cursor,
  words: readonly ScriptWord[],
  { shell }: { readonly shell?: string } = {},
): void {
  const texts = words.map(({ literal }) => literal);
  if (texts.some((text) => text === undefined)) {
    const flow = joinFlows(words.map((word) => word.flow));
    addSink(cursor, flow, { type: 'run', refusal: 'evaluated' });
    addSink(cursor, flow, { type: 'computed', refusal: 'evaluated' });
    return;
  }
  const text = texts.join(' ');
  if (shell !== undefined) cursor.uses.scopes += 1;
  const scope = shell === undefined ? cursor.scope : cursor.uses.scopes;
  const dialect = shell === undefined ? cursor.dialect : dialectOf(shell);
  const inside = gathering(cursor, () => {
    readWithin(cursor, { text, scope, dialect }, (within) => {
      readList(within, 'text');
    });
  });
  // Its output may be expanded in a surrounding text.
  cursor.expansions.push(...inside.expansions);
}
