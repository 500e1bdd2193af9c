import { askLine, canAsk } from './ask-line.ts';

/** Undefined if stdin or stderr is not a terminal, so there is no way to ask. */
export async function confirm(question: string): Promise<boolean | undefined> {
  if (!canAsk()) return undefined;
  const answer = await askLine(`${question} [y/N] `);
  return answer !== undefined && /^y(?:es)?$/i.test(answer.trim());
}
