import { relative } from 'node:path';
import type { TakenHold } from '../../host/hold.ts';
import { defined } from '../../model/defined.ts';
import { startConversation as start } from '../../operations/conversations/start-conversation.ts';
import type { CliContext } from '../context.ts';
import { EXIT } from '../exit-codes.ts';
import { refuse } from '../refuse.ts';
import type { EngineOption, OutputOptions, TrustOption } from '../run-options.ts';
import { carryOutHere } from '../running/carry-out.ts';
import { siteOf } from '../site.ts';
import { withTrust } from '../trust/with-trust.ts';
import { askApprovals } from './ask-approvals.ts';
import { printAnswer } from './print-answer.ts';

export interface StartFlags extends OutputOptions, TrustOption, EngineOption {
  readonly task?: string;
  readonly maxIterations?: number;
  readonly agent?: string;
  readonly session?: string;
  readonly dryRun?: boolean;
}

export async function startConversation(
  context: CliContext,
  dir: string,
  flags: StartFlags,
): Promise<number> {
  const { task, maxIterations, agent, session, dryRun } = flags;
  const asked = {
    dir,
    ...defined({ task, maxIterations, agent, session, isDryRun: dryRun }),
  };
  const prepared = await withTrust(context, flags, () => start(siteOf(context), asked));
  if (prepared === 'not-trusted') return EXIT.usage;
  if (prepared.type === 'error') return refuse(context, prepared.error);
  const { agentWithTools } = prepared.value;
  const first = await carryOutHere(context, prepared.value, {
    output: flags,
    onHold: (taken) => {
      if (flags.quiet !== true && flags.json !== true) context.err(beginning(dir, taken));
      if (agentWithTools !== undefined) context.err(ownToolsStayOn(agentWithTools));
    },
  });
  const { runId } = prepared.value.plan;
  const carried = await askApprovals(context, { runId, flags }, first);
  printAnswer(context, carried.end, flags);
  return carried.exitCode;
}

/** A command line given by the user is run as written. */
function ownToolsStayOn(agent: string): string {
  return `warning: \`${agent}\` is a command: its own tools cannot be disabled, and their actions are not in the history\n`;
}

function beginning(dir: string, { sessionId, base, folder, first }: TakenHold): string {
  const where = base === folder ? dir : `${dir}/${relative(folder, base)}`;
  const note = first === undefined ? '' : `note: conversation \`${first}\` already uses \`${dir}\` itself\n`;
  return `conversation ${sessionId} in ${where}\n${note}`;
}
