import { holderHelp, holderText } from '../store/describe-held.ts';
import type { Held } from '../store/lock.ts';

export type SessionProblemType =
  /** There is nothing of that name. */
  | 'not-found'
  /** Whatever the sessions and tasks are, this cannot be asked of them. */
  | 'invalid'
  /** Not as the sessions and tasks are now. */
  | 'refused'
  | 'held'
  /** A document cannot be read or written. */
  | 'broken';

/** What was asked for cannot be done with the sessions and tasks there are. The words are for the person who asked. */
export interface SessionProblem {
  readonly type: SessionProblemType;
  readonly message: string;
  readonly help?: string;
}

export function heldProblem(what: string, held: Held): SessionProblem {
  const help = holderHelp(held);
  return { type: 'held', message: `${what} ${holderText(held)}`, ...(help === undefined ? {} : { help }) };
}

export function refused(message: string, help?: string): SessionProblem {
  return problem('refused', message, help);
}

export function notFound(message: string, help?: string): SessionProblem {
  return problem('not-found', message, help);
}

export function invalid(message: string, help?: string): SessionProblem {
  return problem('invalid', message, help);
}

function problem(type: SessionProblemType, message: string, help: string | undefined): SessionProblem {
  return { type, message, ...(help === undefined ? {} : { help }) };
}
