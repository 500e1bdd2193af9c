/** How the commands of sessions say no, and how they open the session they speak of. */

import { type KeptFile, keptText } from '../../model/kept-file.ts';
import type { Result } from '../../model/result.ts';
import type { SessionProblem } from '../../session/problem.ts';
import { openSession, type Session } from '../../session/sessions.ts';
import type { CliContext } from '../context.ts';
import { EXIT } from '../exit-codes.ts';

/** Says what is wrong and sets the exit code; answers nothing, for the caller to give up with. */
export function tell(context: CliContext, problem: SessionProblem): undefined {
  context.err(`error: ${problem.message}\n${problem.help === undefined ? '' : `help: ${problem.help}\n`}`);
  context.exitCode = problem.type === 'held' ? EXIT.held : EXIT.usage;
  return undefined;
}

export function valueOrTell<Value>(
  context: CliContext,
  result: Result<Value, SessionProblem>,
): Value | undefined {
  return result.type === 'ok' ? result.value : tell(context, result.error);
}

/** Says which files of others stand under other names now. */
export function tellKept(context: CliContext, session: Session, kept: readonly KeptFile[]): void {
  for (const each of kept) context.err(`note: ${keptText(each, session.paths.relative)}\n`);
}

export function sessionOrTell(context: CliContext, name: string | undefined): Session | undefined {
  return valueOrTell(context, openSession(context.workspace, name));
}
