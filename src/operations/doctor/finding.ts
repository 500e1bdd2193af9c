import type { Advice } from '../../model/advice.ts';

/** One result of a check. Every warning and problem has `help`: what to do about it. */
export interface Finding {
  readonly area: 'program' | 'agents' | 'environment' | 'workspace' | 'workers' | 'run';
  readonly level: 'ok' | 'note' | 'warning' | 'problem';
  readonly message: string;
  readonly help?: Advice;
}
