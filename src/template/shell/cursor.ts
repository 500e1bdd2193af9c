import type { Expansion, Filled, Flow, Sink } from './flow/flow.ts';
import type { Refusal } from './refusal.ts';

/**
 * How a value is put in so that it stays text. `bare`: as one quoted word. `words`: a list as several. `single`, `double`: inside
 * quotes that are there. `plain`: as it is, checked against an allow-list when it is known.
 */
export type Place = 'bare' | 'words' | 'single' | 'double' | 'plain';

/** Kinds of shells that read the same text differently. `posix`: sh, dash, ash; `korn`: ksh and its like. */
export type Dialect = 'posix' | 'bash' | 'korn' | 'zsh';

/** A word as the shell's parser sees it, before expansion. */
export interface ScriptWord {
  /** As written, each reference one character. */
  readonly raw: string;
  readonly literal: string | undefined;
  readonly prefix: string;
  readonly suffix: string;
  /** Written without any quoting, so that it may be a reserved word. */
  readonly unquoted: boolean;
  /** Indexes of the references in it. */
  readonly references: readonly number[];
  readonly assigns: string | undefined;
  readonly isArray: boolean;
  /** What goes into it when the script runs. */
  readonly flow: Flow;
  /** What goes into the subscript of `a[…]=` or `[…]=`, where it has one. */
  readonly subscript: Flow | undefined;
  /** May become several words, or none: it holds an expansion outside of quotes, or `"$@"`. */
  readonly splits: boolean;
  /** Names of files are put in its place. */
  readonly globs: boolean;
}

export interface Redirect {
  readonly operator: string;
  readonly target: ScriptWord;
}

/** Words and redirections up to an operator: what a shell runs as one simple command. */
export interface SimpleCommand {
  readonly assignments: readonly ScriptWord[];
  readonly words: readonly ScriptWord[];
  readonly redirects: readonly Redirect[];
}

export interface Heredoc {
  readonly delimiter: string;
  readonly quoted: boolean;
  readonly stripsTabs: boolean;
}

/**
 * The script while it is read. References are single characters of `text`, known by their offsets.
 *
 * C1 Every reference ends up with a place or a refusal; one that the reader never reached is refused.
 * C2 Where shells or their versions may read the text differently, the reader is lost: `position` jumps to the end and every
 *    reference of the script is refused, as what follows may change what came before. It never guesses.
 */
export interface Cursor {
  readonly text: string;
  readonly referenceAt: ReadonlyMap<number, number>;
  readonly dialect: Dialect;
  /** Lists are put in as their words. */
  readonly lists: boolean;
  readonly places: Map<number, Place>;
  readonly refusals: Map<number, Refusal>;
  /** Set while inside something where no value may stand. */
  forbidden: Refusal | undefined;
  /** How many command substitutions the position is inside of. */
  depth: number;
  /** How many things of any kind it is inside of. */
  nesting: number;
  position: number;
  heredocs: Heredoc[];
  /** Where a text inside the script (of `eval`, of a nested shell) begins in the script itself. */
  readonly base: number | undefined;
  /** Which shell it is that reads: 0 for the script itself, others for scripts inside it. */
  readonly scope: number;
  /** What the text that is being read expands. */
  expansions: Expansion[];
  /** The text that is being read holds what a command printed. */
  reads: boolean;
  /** The list that is being read. */
  list: CommandList;
  /** What the whole script does with values; the same for every text inside it. */
  readonly uses: ScriptUses;
  /** Why nothing after some point can be decided. */
  lost: string | undefined;
  /** Called for each simple command. */
  readonly visit: (command: SimpleCommand, cursor: Cursor) => void;
}

/** What a list of commands consists of, as far as it decides what the list prints. */
export interface CommandList {
  /** One pipeline of simple commands. */
  isPipeline: boolean;
  isSeparated: boolean;
  last: SimpleCommand | undefined;
}

/** Gathered over the whole script; judged when it has been read (`flow/judge-flow.ts`). */
export interface ScriptUses {
  readonly sinks: Sink[];
  readonly filled: Filled[];
  /** Names of the functions it defines. */
  readonly functions: Set<string>;
  /** Programs whose output is taken for a number; none of them may be a function. */
  readonly trusted: Set<string>;
  /** `1` or a variable that the script has checked to be a number, and where the check ends. */
  readonly checked: Map<string, number>;
  /** So far there were only simple commands, one after the other, each of which is run. */
  isStraight: boolean;
  /** Up to where a check of a number has been seen. */
  checkEnd: number;
  /** The parameters are changed, so that `$1` is not always the same. */
  movesParameters: boolean;
  /** Files that it writes, and files that it runs: by their names, or as written where a variable holds them. */
  readonly written: Set<string>;
  readonly run: Set<string>;
  /** There are arrays whose keys are text. */
  makesKeys: boolean;
  makesArrays: boolean;
  /** There are variables whose values are evaluated when they are set. */
  makesIntegers: boolean;
  /** Words that set variables; those of `declare` and the like. */
  readonly assigned: ScriptWord[];
  readonly declared: ScriptWord[];
  scopes: number;
}

const DEEPEST = 100;

export const REFERENCE_MARK = '\u{FFFC}';

export function atEnd(cursor: Cursor): boolean {
  return cursor.position >= cursor.text.length;
}

/** No value stands in the text, so that shells may differ in where quotes end without one coming out of its own. */
export function holdsNoValue(cursor: Cursor): boolean {
  return cursor.referenceAt.size === 0;
}

/** Where the position is in the script itself. */
export function offsetOf(cursor: Cursor): number {
  return cursor.base ?? cursor.position;
}

/** The next character; `REFERENCE_MARK` where a reference stands, and only there is `referenceHere` defined. */
export function peek(cursor: Cursor, ahead = 0): string {
  return cursor.text[cursor.position + ahead] ?? '';
}

export function referenceHere(cursor: Cursor, ahead = 0): number | undefined {
  return cursor.referenceAt.get(cursor.position + ahead);
}

export function lose(cursor: Cursor, reason: string): void {
  cursor.lost ??= reason;
  cursor.position = cursor.text.length;
}

export function refuse(cursor: Cursor, reference: number, refusal: Refusal): void {
  if (!cursor.refusals.has(reference)) cursor.refusals.set(reference, refusal);
}

export function place(cursor: Cursor, reference: number, where: Place): void {
  if (cursor.forbidden === undefined) cursor.places.set(reference, where);
  else refuse(cursor, reference, cursor.forbidden);
}

/** Where a word that is nothing but a reference may become several words without changing what the others are. */
export function spread(cursor: Cursor, word: ScriptWord): void {
  const [reference] = word.references;
  if (!cursor.lists || reference === undefined || word.raw !== REFERENCE_MARK) return;
  if (cursor.places.get(reference) === 'bare') cursor.places.set(reference, 'words');
}

/** Reads something in which no value may stand; an outer reason goes before an inner one. */
export function forbidding(cursor: Cursor, refusal: Refusal, read: () => void): void {
  const outer = cursor.forbidden;
  cursor.forbidden ??= refusal;
  nested(cursor, read);
  cursor.forbidden = outer;
}

/** Reads something that may hold its like, to a depth that no written script has. */
export function nested(cursor: Cursor, read: () => void): void {
  cursor.nesting += 1;
  if (cursor.nesting > DEEPEST) lose(cursor, 'it is nested too deeply');
  else read();
  cursor.nesting -= 1;
}

/** A newline inside quotes or a substitution, while a heredoc is due, is read differently by different shells. */
export function passText(cursor: Cursor, end: number): void {
  if (cursor.heredocs.length > 0 && cursor.text.slice(cursor.position, end).includes('\n')) {
    lose(cursor, 'a heredoc begins on a line that quotes or a substitution continue');
  } else cursor.position = end;
}
