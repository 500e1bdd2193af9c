import { createInterface } from 'node:readline/promises';
import { printable } from '../report/text/printable.ts';

/** Whether a user can be asked. */
export function canAsk(): boolean {
  return process.stdin.isTTY === true && process.stderr.isTTY === true;
}

/** One line from the terminal; undefined if the user closed it (Ctrl-D). */
export async function askLine(question: string): Promise<string | undefined> {
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  // readline turns Ctrl+C into an event: send the signal on, so that it ends the program as usual.
  lines.once('SIGINT', () => {
    lines.close();
    process.kill(process.pid, 'SIGINT');
  });
  try {
    return await lines.question(printable(question));
  } catch (cause) {
    if ((cause as Error).name !== 'AbortError') throw cause;
    process.stderr.write('\n');
    return undefined;
  } finally {
    lines.close();
  }
}
