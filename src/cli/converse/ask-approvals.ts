/** On a terminal, the user is asked at once about the tools that a conversation waits for, and the conversation continues. */
import type { QuestionState } from '../../model/run-state.ts';
import { resumeRun } from '../../operations/resuming/resume-run.ts';
import { answerAnyQuestion } from '../../operations/runs/change-on-workers.ts';
import { readWholeRun } from '../../operations/runs/read-run.ts';
import { askLine, canAsk } from '../ask-line.ts';
import type { CliContext } from '../context.ts';
import { EXIT } from '../exit-codes.ts';
import { siteWithWorkers } from '../reach-workers.ts';
import { refuse } from '../refuse.ts';
import type { OutputOptions, TrustOption } from '../run-options.ts';
import { type CarriedOut, prepareAndRun } from '../running/carry-out.ts';
import { siteOf } from '../site.ts';

export async function askApprovals(
  context: CliContext,
  { runId, flags }: { readonly runId: string; readonly flags: OutputOptions & TrustOption },
  first: CarriedOut,
): Promise<CarriedOut> {
  let carried = first;
  while (carried.end?.status === 'waiting' && flags.json !== true && canAsk()) {
    const isAnswered = await answerAll(context, runId);
    if (!isAnswered) break;
    carried = await prepareAndRun(
      context,
      () => resumeRun(siteOf(context), { run: runId, plansForWorkers: true }),
      flags,
    );
  }
  return carried;
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
