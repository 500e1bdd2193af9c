/** On a terminal, the user is asked at once about the tools that a conversation waits for, and the conversation continues. */
import type { RunEvent } from '../../model/event.ts';
import type { QuestionState } from '../../model/run-state.ts';
import { resumeRun } from '../../operations/resuming/resume-run.ts';
import { answerAnyQuestion } from '../../operations/runs/change-on-workers.ts';
import { readWholeRun } from '../../operations/runs/read-run.ts';
import { Tally } from '../../report/live/tally.ts';
import { askLine, canAsk } from '../ask-line.ts';
import type { CliContext } from '../context.ts';
import { EXIT } from '../exit-codes.ts';
import { siteWithWorkers } from '../reach-workers.ts';
import { refuse } from '../refuse.ts';
import type { OutputOptions, TrustOption } from '../run-options.ts';
import { type CarriedOut, carryOutHere } from '../running/carry-out.ts';
import { siteOf } from '../site.ts';
import { withTrust } from '../trust/with-trust.ts';

export async function askApprovals(
  context: CliContext,
  { runId, flags }: { readonly runId: string; readonly flags: OutputOptions & TrustOption },
  first: CarriedOut,
): Promise<CarriedOut> {
  let carried = first;
  while (carried.end?.status === 'waiting' && flags.json !== true && canAsk()) {
    const isAnswered = await answerAll(context, runId);
    if (!isAnswered) break;
    carried = await resumeHere(context, { runId, flags });
  }
  return carried;
}

async function resumeHere(
  context: CliContext,
  { runId, flags }: { readonly runId: string; readonly flags: OutputOptions & TrustOption },
): Promise<CarriedOut> {
  // What the run has done and cost before is part of its figures.
  let tally = new Tally({ runId: '', title: '' });
  const resumed = await withTrust(context, flags, () => {
    tally = new Tally({ runId: '', title: '' });
    const onEvent = (event: RunEvent): void => tally.apply(event);
    return resumeRun(siteOf(context), { run: runId, plansForWorkers: true, onEvent });
  });
  if (resumed === 'not-trusted') return { exitCode: EXIT.usage };
  if (resumed.type === 'error') return { exitCode: refuse(context, resumed.error) };
  return carryOutHere(context, resumed.value, { output: flags, tally });
}

/** False if the user closed the terminal instead: the questions stay open. */
async function answerAll(context: CliContext, runId: string): Promise<boolean> {
  const site = await siteWithWorkers(context, runId);
  const read = readWholeRun(site, runId);
  if (read.type === 'error') return refuse(context, read.error) === EXIT.done;
  for (const [key, question] of Object.entries(read.value.state.waiting_for ?? {})) {
    const choice = await askChoice(question);
    if (choice === undefined) return false;
    const answered = await answerAnyQuestion(site, { run: runId, question: key, choice });
    // Another terminal may have been faster.
    if (answered.type === 'error' && answered.error.type !== 'already-answered')
      return refuse(context, answered.error) === EXIT.done;
  }
  return true;
}

/** A choice, or its first letters. */
async function askChoice({ message, choices }: QuestionState): Promise<string | undefined> {
  for (;;) {
    const line = await askLine(`${message} (${choices.join(', ')}): `);
    if (line === undefined) return undefined;
    const text = line.trim().toLowerCase();
    const [choice, ...others] = text === '' ? [] : choices.filter((each) => each.startsWith(text));
    if (choice !== undefined && others.length === 0) return choice;
  }
}
