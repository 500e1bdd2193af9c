import type { Command } from 'commander';
import { type DetachedWork, reportBegun } from '../../host/carrying/detach.ts';
import { readStandardInput } from '../../host/standard-input.ts';
import { defined } from '../../model/defined.ts';
import { parseJsonObject } from '../../model/json.ts';
import { refused } from '../../operations/problem.ts';
import { readRunById } from '../../operations/runs/read-run.ts';
import type { CliContext } from '../context.ts';
import { refuse } from '../refuse.ts';
import { carryOutHere } from '../running/carry-out.ts';
import { siteOf } from '../site.ts';

/** The process that `--detach` starts. */
export function define(command: Command, context: CliContext): void {
  command.addHelpText('after', '\nExample:\n  orchestrate run workflow.yaml --detach').action(async () => {
    context.exitCode = await carryOut(context);
  });
}

async function carryOut(context: CliContext): Promise<number> {
  const input = await readStandardInput();
  // It is not complete if the process that sends it was killed.
  const given = input.type === 'ok' ? parseJsonObject(input.value.toString('utf8')) : undefined;
  const work = given as DetachedWork | undefined;
  if (work === undefined)
    return refuse(context, refused('invalid', 'no plan on standard input', ['use `--detach`']));
  const { plan, loop, output } = work;
  const prepared = { plan, ...defined({ loop, history: historyOf(context, work) }) };
  return (await carryOutHere(context, prepared, { output, onBegun: () => reportBegun(work) })).exitCode;
}

function historyOf(context: CliContext, { plan: { runId, begin } }: DetachedWork) {
  if (begin.type === 'new') return begin.shared;
  const run = readRunById(siteOf(context), runId);
  return run.type === 'ok' ? run.value.events : undefined;
}
