/**
 * How problems are defined: each area has a table with one row per type. The row gives the kind and the words; the data of the problem
 * is what the words need. The union `Problem` is derived from the tables, so a problem without a row does not compile.
 */
import type { Advice } from './advice.ts';

/** Decides the exit code or HTTP status of a door. */
export type ProblemKind = 'not-found' | 'invalid' | 'conflict' | 'held' | 'failed';

export interface DescribedProblem {
  readonly message: string;
  /** One per line. */
  readonly details?: readonly string[];
  readonly note?: string;
  /** What to do about it. */
  readonly help?: Advice;
}

export interface Form<Data> {
  readonly kind: ProblemKind;
  readonly words: (data: Data) => DescribedProblem;
}

/** A row of a table. */
export function form<Data = object>(kind: ProblemKind, words: (data: Data) => DescribedProblem): Form<Data> {
  return { kind, words };
}

type DataOf<Row> = Row extends Form<infer Data> ? Data : never;

/** The problems of a table. */
export type ProblemsOf<Table> = {
  [Type in keyof Table & string]: { readonly type: Type } & DataOf<Table[Type]>;
}[keyof Table & string];

export function said(message: string, help?: Advice): DescribedProblem {
  return help === undefined ? { message } : { message, help };
}

export function quoted(names: readonly string[]): string {
  return names.map((name) => `\`${name}\``).join(', ');
}

/** A suggestion, if there is a similar name. */
export function meant(near: string | undefined, otherwise: Advice): Advice {
  return near === undefined ? otherwise : `did you mean \`${near}\`?`;
}
