import type { RunEnd } from '../../host/carrying/carry-out.ts';
import { isJsonObject } from '../../model/json.ts';
import { printable } from '../../report/text/printable.ts';
import type { CliContext } from '../context.ts';
import type { OutputOptions } from '../run-options.ts';

/** The agent's last words, of a conversation that is completed. */
export function printAnswer(context: CliContext, end: RunEnd | undefined, { json }: OutputOptions): void {
  const answer = isJsonObject(end?.output) ? end.output['answer'] : undefined;
  if (end?.status !== 'completed' || typeof answer !== 'string' || answer === '' || json === true) return;
  // Another program gets it as it is.
  context.out(`${(process.stdout.isTTY === true ? printable(answer) : answer).trimEnd()}\n`);
}
