import { defined } from '../../model/defined.ts';
import { describeHistory, readHistory } from '../../operations/conversations/read-history.ts';
import { printable } from '../../report/text/printable.ts';
import type { CliContext } from '../context.ts';
import { EXIT } from '../exit-codes.ts';
import { refuse } from '../refuse.ts';
import { siteOf } from '../site.ts';

export interface HistoryFlags {
  readonly session?: string;
  readonly format: 'md' | 'jsonl';
}

export function printHistory(context: CliContext, dir: string, { session, format }: HistoryFlags): number {
  const read = readHistory(siteOf(context), { dir, ...defined({ session }) });
  if (read.type === 'error') return refuse(context, read.error);
  if (format === 'jsonl')
    context.out(read.value.messages.map((message) => `${JSON.stringify(message)}\n`).join(''));
  else context.out(printable(describeHistory(read.value)));
  return EXIT.done;
}
