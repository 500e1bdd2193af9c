import { createInterface } from 'node:readline/promises';
import { printable } from '../report/text/printable.ts';

/** Undefined if stdin or stderr is not a terminal, so there is no way to ask. */
export async function confirm(question: string): Promise<boolean | undefined> {
  if (process.stdin.isTTY !== true || process.stderr.isTTY !== true) return undefined;
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  // readline turns Ctrl+C into an event: send the signal on, so that it ends the program as usual.
  lines.once('SIGINT', () => {
    lines.close();
    process.kill(process.pid, 'SIGINT');
  });
  try {
    return /^y(?:es)?$/i.test((await lines.question(`${printable(question)} [y/N] `)).trim());
  } catch (cause) {
    if ((cause as Error).name !== 'AbortError') throw cause;
    process.stderr.write('\n');
    return false;
  } finally {
    lines.close();
  }
}
