/** One conversation from its beginning, or from where it was left, to an exit code. */

import { join } from 'node:path';
import { CONVERSE_PROGRAM, type ConverseInput, type ConverseOutput } from '../../converse/input.ts';
import { sessionDocument } from '../../converse/layout.ts';
import { parseSession, type Session, type SessionStatus } from '../../converse/session.ts';
import type { Conversation } from '../../converse/sessions.ts';
import { type RunEnd, resumeRun, startRun } from '../../engine/local-run.ts';
import type { RunId } from '../../model/ids.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../model/json.ts';
import { printable } from '../../report/text/printable.ts';
import { cutTo } from '../../report/text/width.ts';
import { updateDocument } from '../../store/document.ts';
import type { CliContext } from '../context.ts';
import { execute } from '../execute.ts';
import type { OutputOptions } from '../run-options.ts';

const LONGEST_TITLE = 80;

export interface ConversationRun {
  readonly conversation: Conversation;
  readonly runId: RunId;
  readonly input: ConverseInput;
  readonly output: OutputOptions;
}

export async function runNew(context: CliContext, run: ConversationRun): Promise<number> {
  const { input, runId } = run;
  const executed = await execute({
    context,
    runId,
    output: run.output,
    secrets: [],
    begin: (host, signal) =>
      startRun(
        host,
        {
          workspace: context.workspace,
          runId,
          kind: 'converse',
          title: titleOf(input.task),
          program: CONVERSE_PROGRAM,
          input: input as unknown as JsonValue,
          facts: factsOf(input),
        },
        signal,
      ),
  });
  return finish(context, run, executed);
}

/** `isChanged`: the input is another one than the run was started with. */
export async function runFurther(
  context: CliContext,
  run: ConversationRun & { readonly isChanged: boolean },
): Promise<number> {
  const { input, runId } = run;
  await setStatus(run.conversation, (session) =>
    session.status === 'completed' ? session.status : 'running',
  );
  const change = { input: input as unknown as JsonValue, facts: factsOf(input) };
  const executed = await execute({
    context,
    runId,
    title: titleOf(input.task),
    output: run.output,
    secrets: [],
    begin: (host, signal) =>
      resumeRun(host, { workspace: context.workspace, runId, ...(run.isChanged ? { change } : {}) }, signal),
  });
  return finish(context, run, executed);
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
