import { withTypedCommands } from '../../model/typed-command.ts';
import { describePhases, getPhases, phaseBeforeActive } from '../../operations/phases/get-phases.ts';
import { missedChanges } from '../../operations/phases/reconcile-phases.ts';
import { printable } from '../../report/text/printable.ts';
import type { CliContext } from '../context.ts';
import { EXIT } from '../exit-codes.ts';
import { refuse } from '../refuse.ts';
import { siteOf } from '../site.ts';
import { changeLine } from './change.ts';
import { type JsonFlag, printHandedOver } from './print.ts';

export function show(context: CliContext, flags: JsonFlag): number {
  const site = siteOf(context);
  const found = getPhases(site);
  if (found.type === 'error') return refuse(context, found.error);
  const { document, todos } = found.value;
  const missed = missedChanges(site, document);
  if (flags.json === true) {
    context.out(`${JSON.stringify({ ...document, reconcile: missed, todos }, null, 2)}\n`);
    return EXIT.done;
  }
  context.out(printable(describePhases(found.value)));
  printHandedOver(context, phaseBeforeActive(found.value));
  if (missed.length > 0) {
    context.err(`missed by hooks:\n${missed.map((each) => `  ${changeLine(each)}\n`).join('')}`);
    context.err(withTypedCommands('help: `orchestrate phases reconcile` applies these changes\n'));
  }
  return EXIT.done;
}
