/** Records the data flow while a script is parsed. */
import { defined } from '../../../model/defined.ts';
import { type CommandList, type Cursor, type Dialect, lose, nested, offsetOf } from '../cursor.ts';
import type { Flow, Sink } from './flow.ts';

/** Parses something and returns what it expands, without adding that to the surrounding text. */
export function gathering(cursor: Cursor, read: () => void): Flow {
  const { expansions, reads } = cursor;
  cursor.expansions = [];
  cursor.reads = false;
  read();
  const inside: Flow = { references: [], expansions: cursor.expansions, reads: cursor.reads, text: '' };
  cursor.expansions = expansions;
  cursor.reads = reads;
  return inside;
}

export interface HowExpanded {
  readonly written?: string;
  readonly isWhole: boolean;
  /** Its start, if not the current position. */
  readonly from?: number;
}

export function expand(cursor: Cursor, name: string, { written = name, isWhole, from }: HowExpanded): void {
  const at = cursor.base ?? from ?? cursor.position;
  cursor.expansions.push({ name, written, at, scope: cursor.scope, isWhole });
}

/** `$?` and the like are numbers; `$1`, `$@` are the parameters. */
export function expandParameter(cursor: Cursor, name: string, how: HowExpanded): 'text' | 'number' {
  if (/^[#?$!]$/.test(name)) return 'number';
  const isParameter = /^(?:[1-9][0-9]*|[@*])$/.test(name);
  if (name !== '-') expand(cursor, isParameter ? '@' : name, { ...how, written: name });
  return 'text';
}

export function addSink(
  cursor: Cursor,
  flow: Flow,
  sink: Pick<Sink, 'type' | 'refusal' | 'ifFilled'> & { readonly at?: number },
): void {
  const { references, expansions, reads, text } = flow;
  cursor.uses.sinks.push({
    ...{ references, expansions, reads, text },
    ...{ at: offsetOf(cursor), scope: cursor.scope, ...sink },
  });
}

export function fill(cursor: Cursor, name: string, flow: Flow, callee?: string): void {
  const { references, expansions, reads, text } = flow;
  cursor.uses.filled.push({
    ...{ name, references, expansions, reads, text, at: offsetOf(cursor) },
    ...defined({ callee }),
  });
}

export function emptyList(): CommandList {
  return { isPipeline: true, isSeparated: false, last: undefined };
}

export interface TextWithin {
  readonly text: string;
  readonly scope: number;
  readonly dialect?: Dialect;
}

/** Parses a text without values that the shell will run as code. */
export function readWithin(cursor: Cursor, given: TextWithin, read: (within: Cursor) => void): void {
  cursor.uses.isStraight = false;
  const within: Cursor = {
    ...cursor,
    text: given.text,
    scope: given.scope,
    dialect: given.dialect ?? cursor.dialect,
    referenceAt: new Map(),
    base: offsetOf(cursor),
    position: 0,
    heredocs: [],
    list: emptyList(),
    lost: given.text.includes('\0') ? 'it contains a NUL' : undefined,
  };
  nested(within, () => read(within));
  cursor.expansions = within.expansions;
  cursor.reads = within.reads;
  if (within.lost !== undefined) lose(cursor, within.lost);
}
