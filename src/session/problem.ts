import { defined } from '../model/defined.ts';
import { holderHelp, holderText } from '../store/describe-held.ts';
import type { Held } from '../store/lock.ts';

export type SessionProblemType =
  /** Nothing with that name exists. */
  | 'not-found'
  /** The request is invalid, whatever the state of the session. */
  | 'invalid'
  /** Not possible in the current state of the session. */
  | 'refused'
  | 'held'
  /** A document cannot be read or written. */
  | 'broken';

/** Why a request about sessions or tasks failed, in words for the user. */
export interface SessionProblem {
  readonly type: SessionProblemType;
  readonly message: string;
  readonly help?: string;
}

export function heldProblem(what: string, held: Held): SessionProblem {
  const help = holderHelp(held);
  return { type: 'held', message: `${what} ${holderText(held)}`, ...defined({ help }) };
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
  return { type, message, ...defined({ help }) };
}
