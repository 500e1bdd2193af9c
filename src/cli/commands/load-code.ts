import type { Command } from 'commander';
import { answerLine, type CodeWork, endWithCaller } from '../../host/code/code-process.ts';
import { modulesOf } from '../../host/modules.ts';
import { readStandardInput } from '../../host/standard-input.ts';
import { parseJsonObject } from '../../model/json.ts';
import { doCodeCall } from '../../operations/apart/do-call.ts';
import type { CliContext } from '../context.ts';
import { EXIT } from '../exit-codes.ts';
import { siteWithWorkers } from '../reach-workers.ts';
import { refuse } from '../refuse.ts';
import { siteOf } from '../site.ts';

/** The process in which the page and the keeper load workflows in code. */
export function define(command: Command, context: CliContext): void {
  command.addHelpText('after', '\nExample:\n  orchestrate serve').action(async () => {
    context.exitCode = await loadCode(context);
  });
}

async function loadCode(context: CliContext): Promise<number> {
  const input = await readStandardInput();
  const given = input.type === 'ok' ? parseJsonObject(input.value.toString('utf8')) : undefined;
  const work = given as unknown as CodeWork | undefined;
  if (work === undefined) return refuse(context, { type: 'no-plan' });
  endWithCaller();
  const { call, asker, usesWorkers } = work;
  const { run } = call.asked;
  const site = usesWorkers
    ? await siteWithWorkers(context, typeof run === 'string' ? run : undefined)
    : siteOf(context);
  // Not guarded: how this process ends tells its caller what is wrong with the file.
  const result = await doCodeCall({ ...site, asker, modules: modulesOf(context) }, call);
  context.display(answerLine(work, result));
  // The code may have left a timer or a server behind.
  process.exit(EXIT.done);
}
