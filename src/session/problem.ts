import { holderHelp, holderText } from '../store/describe-held.ts';
import type { Held } from '../store/lock.ts';

/** What was asked for cannot be done with the sessions and tasks there are. The words are for the person who asked. */
export interface SessionProblem {
  readonly type: 'refused' | 'held' | 'broken';
  readonly message: string;
  readonly help?: string;
}

export function heldProblem(what: string, held: Held): SessionProblem {
  const help = holderHelp(held);
  return { type: 'held', message: `${what} ${holderText(held)}`, ...(help === undefined ? {} : { help }) };
}

export function refused(message: string, help?: string): SessionProblem {
  return { type: 'refused', message, ...(help === undefined ? {} : { help }) };
}
