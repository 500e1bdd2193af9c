/**
 * The data flow in a script. A text (a word, an expression) contains references, variables and the output of commands; a variable is
 * set to a text; a sink is a place where a shell runs or evaluates a text. `judge-flow.ts` follows values from one to the other,
 * whatever the order in which the commands run.
 */
import type { Refusal } from '../refusal.ts';

/** A variable that is expanded in a text. */
export interface Expansion {
  /** `@` for the positional parameters, `0` for `$0`. */
  readonly name: string;
  /** As written: `1` of `$1`. */
  readonly written: string;
  readonly at: number;
  readonly scope: number;
  /** `$v` or `${v}`, expanded unchanged. */
  readonly isWhole: boolean;
}

export interface Flow {
  readonly references: readonly number[];
  readonly expansions: readonly Expansion[];
  /** Contains the output of a command or other input, so it may contain any value of the script. */
  readonly reads: boolean;
  /** Its known text, with a mark for each expansion. */
  readonly text: string;
}

/** Marks in `Flow.text` for an expansion, and for one that can only be a number. */
export const PUT_IN = '\u{E000}';
export const NUMBER = '\u{E001}';

/** The variable `name` is set to a text. */
export interface Filled extends Flow {
  readonly name: string;
  readonly at: number;
  /** The function that receives them as parameters. */
  readonly callee?: string;
}

/**
 * `run`: no value may reach it in any way. `direct`: only the output of commands is allowed, since its first character does no harm.
 * `computed`: the names in the text are evaluated too, and the names in their values.
 */
export type SinkType = 'run' | 'direct' | 'computed';

export interface Sink extends Flow {
  readonly type: SinkType;
  readonly refusal: Refusal;
  readonly at: number;
  readonly scope: number;
  /** Applies only if the script itself sets one of these. */
  readonly ifFilled?: readonly Expansion[];
}

export const NO_FLOW: Flow = { references: [], expansions: [], reads: false, text: '' };

export function joinFlows(flows: readonly Flow[]): Flow {
  return {
    references: flows.flatMap(({ references }) => [...references]),
    expansions: flows.flatMap(({ expansions }) => [...expansions]),
    reads: flows.some(({ reads }) => reads),
    text: flows.map(({ text }) => text).join(' '),
  };
}
