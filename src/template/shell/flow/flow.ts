/**
 * What goes where in a script. A text (a word, an expression) takes in references, variables and the output of commands; a variable is
 * filled with a text; a sink is a place where a shell runs or computes with a text. `judge-flow.ts` follows a value from one to the
 * other, whatever the order in which the commands run.
 */
import type { Refusal } from '../refusal.ts';

/** A variable whose value goes into a text. */
export interface Expansion {
  /** `@` stands for the positional parameters, `0` for `$0`. */
  readonly name: string;
  /** As written: `1` of `$1`. */
  readonly written: string;
  readonly at: number;
  readonly scope: number;
  /** `$v` or `${v}`, nothing cut off or put in. */
  readonly isWhole: boolean;
}

export interface Flow {
  readonly references: readonly number[];
  readonly expansions: readonly Expansion[];
  /** What a command prints is in it, or what was read from somewhere: it may hold any value of the script. */
  readonly reads: boolean;
  /** Its known text, with a mark for each thing that is put in. */
  readonly text: string;
}

/** Stand in `Flow.text` for an expansion, and for one that can only be a number. */
export const PUT_IN = '\u{E000}';
export const NUMBER = '\u{E001}';

/** The variable `name` is set to a text. */
export interface Filled extends Flow {
  readonly name: string;
  readonly at: number;
  /** The function whose parameters these are. */
  readonly callee?: string;
}

/**
 * `run`: no value may come here, by whatever way. `direct`: only what comes from a command's output is let through, as its first
 * character does no harm. `computed`: also the names in the text are evaluated, and the names in what these hold.
 */
export type SinkType = 'run' | 'direct' | 'computed';

export interface Sink extends Flow {
  readonly type: SinkType;
  readonly refusal: Refusal;
  readonly at: number;
  readonly scope: number;
  /** Only where one of these is set by the script itself. */
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
