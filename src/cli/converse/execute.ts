/** One conversation from its beginning, or from where it was left, to an exit code. */

import { join } from 'node:path';
import { CONVERSE_PROGRAM, type ConverseInput, type ConverseOutput } from '../../converse/input.ts';
import { sessionDocument } from '../../converse/layout.ts';
import { parseSession, type Session, type SessionStatus } from '../../converse/session.ts';
import type { Conversation } from '../../converse/sessions.ts';
import type { RunEnd } from '../../host/carry-out.ts';
import type { RunId } from '../../model/ids.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../model/json.ts';
import { unreachable } from '../../model/unreachable.ts';
import { printable } from '../../report/text/printable.ts';
import { cutTo } from '../../report/text/width.ts';
import { updateDocument } from '../../store/document.ts';
import { carryOutHere } from '../carry-out.ts';
import type { CliContext } from '../context.ts';
import type { OutputOptions } from '../run-options.ts';

const LONGEST_TITLE = 80;

export interface ConversationRun {
  readonly conversation: Conversation;
  readonly runId: RunId;
  readonly input: ConverseInput;
  readonly output: OutputOptions;
}

export async function runNew(context: CliContext, run: ConversationRun): Promise<number> {
  const { input } = run;
  const executed = await carryOutHere(
    context,
    {
      plan: {
        ...planOf(context, run),
        begin: {
          type: 'new',
          program: CONVERSE_PROGRAM,
          input: input as unknown as JsonValue,
          facts: factsOf(input),
        },
      },
    },
    { output: run.output },
  );
  return finish(context, run, executed);
}

/** `isChanged`: the input is another one than the run was started with. */
export async function runFurther(
  context: CliContext,
  run: ConversationRun & { readonly isChanged: boolean },
): Promise<number> {
  const { input } = run;
  await setStatus(run.conversation, (session) =>
    session.status === 'completed' ? session.status : 'running',
  );
  const change = { input: input as unknown as JsonValue, facts: factsOf(input) };
  const begin = { type: 'resume', ...(run.isChanged ? { change } : {}) } as const;
  const executed = await carryOutHere(
    context,
    { plan: { ...planOf(context, run), begin } },
    { output: run.output },
  );
  return finish(context, run, executed);
}

function planOf({ workspace }: CliContext, { runId, input }: ConversationRun) {
  return { runId, workspace, kind: 'converse', title: titleOf(input.task), secrets: [] } as const;
}

async function finish(
  context: CliContext,
  run: ConversationRun,
  executed: { readonly exitCode: number; readonly end?: RunEnd },
): Promise<number> {
  const { end } = executed;
  if (end === undefined) return executed.exitCode;
  await setStatus(run.conversation, (session) => statusAfter(end, session.status));
  const answer = isJsonObject(end.output) ? (end.output as unknown as ConverseOutput).answer : undefined;
  if (end.status === 'completed' && answer !== undefined && answer !== '' && run.output.json !== true)
    // Another program gets it as it is.
    context.out(`${(process.stdout.isTTY === true ? printable(answer) : answer).trimEnd()}\n`);
  return executed.exitCode;
}

/** The program itself tells how the conversation ended; of what stops the program it cannot tell. */
function statusAfter(end: RunEnd, now: SessionStatus): SessionStatus {
  switch (end.status) {
    case 'interrupted':
      return 'interrupted';
    case 'waiting':
      return 'waiting';
    case 'failed':
    case 'cancelled':
      return now === 'exhausted' ? now : 'failed';
    case 'completed':
      return 'completed';
    default:
      return unreachable(end.status);
  }
}

async function setStatus(
  { base, sessionId }: Conversation,
  status: (session: Session) => SessionStatus,
): Promise<void> {
  await updateDocument(join(base, sessionDocument(sessionId)), parseSession, (session) => {
    const next = status(session);
    return next === session.status ? session : { ...session, status: next };
  });
}

function factsOf({ sessionId, folder, task }: ConverseInput): JsonObject {
  return { session_id: sessionId, conversation_folder: folder, task };
}

function titleOf(task: string): string {
  return cutTo(task.trim().split('\n', 1)[0] ?? '', LONGEST_TITLE);
}
