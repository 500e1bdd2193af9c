import type { RunEnd } from '../../host/carrying/carry-out.ts';
import { isJsonObject } from '../../model/json.ts';
import { printable } from '../../report/text/printable.ts';
import type { CliContext } from '../context.ts';
import type { OutputOptions } from '../run-options.ts';

/** Prints the agent's final answer once the conversation is completed. */
export function printAnswer(context: CliContext, end: RunEnd | undefined, { json }: OutputOptions): void {
  const answer = isJsonObject(end?.output) ? end.output['answer'] : undefined;
  if (end?.status !== 'completed' || typeof answer !== 'string' || answer === '' || json === true) return;
  // Programs get it unchanged.
  context.out(`${(process.stdout.isTTY === true ? printable(answer) : answer).trimEnd()}\n`);
}
