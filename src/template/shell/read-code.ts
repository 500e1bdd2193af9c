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
 * Words that a shell reads as code when the script runs: of `eval`, of `bash -c`. Without `shell` it is this shell. Where they are
 * known they are read like the script itself; where not, no value may come into them, nor be in a variable that they name.
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
  // What it prints may go into a text around it.
  cursor.expansions.push(...inside.expansions);
}
