import { defined } from '../../model/defined.ts';
import { resumeConversation as resume } from '../../operations/conversations/resume-conversation.ts';
import type { CliContext } from '../context.ts';
import { EXIT } from '../exit-codes.ts';
import { refuse } from '../refuse.ts';
import type { OutputOptions, TrustOption } from '../run-options.ts';
import { carryOutHere } from '../running/carry-out.ts';
import { siteOf } from '../site.ts';
import { withTrust } from '../trust/with-trust.ts';
import { askApprovals } from './ask-approvals.ts';
import { printAnswer } from './print-answer.ts';

export interface ResumeFlags extends OutputOptions, TrustOption {
  readonly session?: string;
  readonly maxIterations?: number;
}

export async function resumeConversation(
  context: CliContext,
  dir: string,
  flags: ResumeFlags,
): Promise<number> {
  const { session, maxIterations } = flags;
  const asked = {
    dir,
    ...defined({ session, maxIterations }),
  };
  const resumed = await withTrust(context, flags, () => resume(siteOf(context), asked));
  if (resumed === 'not-trusted') return EXIT.usage;
  if (resumed.type === 'error') return refuse(context, resumed.error);
  if (resumed.value.type === 'run') {
    const { runId } = resumed.value.plan;
    const first = await carryOutHere(context, resumed.value, { output: flags });
    const { exitCode, end } = await askApprovals(context, { runId, flags }, first);
    printAnswer(context, end, flags);
    return exitCode;
  }
  const { sessionId, plan, unreadable } = resumed.value;
  if (unreadable !== undefined) refuse(context, unreadable);
  if (plan !== undefined) await carryOutHere(context, { plan }, { output: { quiet: true } });
  context.err(`conversation \`${sessionId}\` is already completed: nothing to do\n`);
  return EXIT.done;
}
