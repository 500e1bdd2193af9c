import type { Command } from 'commander';
import { type DetachedWork, reportBegun } from '../../host/carrying/detach.ts';
import { readStandardInput } from '../../host/standard-input.ts';
import { defined } from '../../model/defined.ts';
import type { JournalEvent } from '../../model/event.ts';
import { parseJsonObject } from '../../model/json.ts';

import type { Prepared } from '../../operations/run-plan.ts';
import { readRunToResumeById } from '../../operations/runs/read-run.ts';
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
  if (work === undefined) return refuse(context, { type: 'no-plan' });
  const { plan, loop, output } = work;
  const prepared = { plan, ...defined({ loop }), ...recordedBefore(context, work) };
  return (await carryOutHere(context, prepared, { output, onBegun: () => reportBegun(work) })).exitCode;
}

function recordedBefore(
  context: CliContext,
  { plan: { runId, begin } }: DetachedWork,
): Pick<Prepared, 'earlier' | 'history'> {
  if (begin.type === 'new') return defined({ earlier: begin.shared });
  const earlier: JournalEvent[] = [];
  const run = readRunToResumeById(siteOf(context), runId, (event) => earlier.push(event));
  return run.type === 'ok' ? { earlier, history: run.value.history } : {};
}
