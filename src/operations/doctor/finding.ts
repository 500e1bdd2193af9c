import type { Advice } from '../advice.ts';

/** One thing the doctor looked at. `help` is there for everything that is not well: what to do about it. */
export interface Finding {
  readonly area: 'program' | 'agents' | 'environment' | 'workspace' | 'run';
  readonly level: 'ok' | 'note' | 'warning' | 'problem';
  readonly message: string;
  readonly help?: Advice;
}
