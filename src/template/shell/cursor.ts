import type { Expansion, Filled, Flow, Sink } from './flow/flow.ts';
import type { Refusal } from './refusal.ts';

/**
 * How a value is inserted so that it stays text. `bare`: as one quoted word. `words`: a list as several words. `single`, `double`:
 * inside existing quotes. `plain`: unquoted, checked against an allow-list when rendered.
 */
export type Place = 'bare' | 'words' | 'single' | 'double' | 'plain';

/** Families of shells that parse the same text differently. `posix`: sh, dash, ash; `korn`: ksh and its variants. */
export type Dialect = 'posix' | 'bash' | 'korn' | 'zsh';

/** A word as the shell's parser sees it, before expansion. */
export interface ScriptWord {
  /** As written, with one character per reference. */
  readonly raw: string;
  readonly literal: string | undefined;
  readonly prefix: string;
  readonly suffix: string;
  /** Written without quoting, so that it may be a reserved word. */
  readonly unquoted: boolean;
  /** Indexes of the references in it. */
  readonly references: readonly number[];
  readonly assigns: string | undefined;
  readonly isArray: boolean;
  /** What is expanded in it when the script runs. */
  readonly flow: Flow;
  /** What is expanded in the subscript of `a[…]=` or `[…]=`, if it has one. */
  readonly subscript: Flow | undefined;
  /** May become several words, or none: it contains an unquoted expansion or `"$@"`. */
  readonly splits: boolean;
  /** It expands to file names. */
  readonly globs: boolean;
}

export interface Redirect {
  readonly operator: string;
  readonly target: ScriptWord;
}

/** A simple command: words and redirections up to an operator. */
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
 * The state while a script is parsed. References are single characters of `text`, identified by their offsets.
 *
 * C1 Every reference gets a place or a refusal; a reference that the parser never reached is refused.
 * C2 If shells or their versions may parse the text differently, the parser is lost: `position` jumps to the end and every
 *    reference of the script is refused, since later text may change the meaning of earlier text. It never guesses.
 */
export interface Cursor {
  readonly text: string;
  readonly referenceAt: ReadonlyMap<number, number>;
  readonly dialect: Dialect;
  /** Lists are inserted as several words. */
  readonly lists: boolean;
  readonly places: Map<number, Place>;
  readonly refusals: Map<number, Refusal>;
  /** Refused references whose value could come from a variable instead, and the quotes around them. */
  readonly fromVariable: Map<number, Place>;
  /** Set while inside something where values are not allowed. */
  forbidden: Refusal | undefined;
  /** Number of enclosing command substitutions. */
  depth: number;
  /** Number of enclosing constructs of any kind. */
  nesting: number;
  position: number;
  heredocs: Heredoc[];
  /** Offset in the script at which a nested text (of `eval` or a nested shell) starts. */
  readonly base: number | undefined;
  /** Number of the shell that runs the text: 0 for the script itself, others for nested scripts. */
  readonly scope: number;
  /** What the current text expands. */
  expansions: Expansion[];
  /** The current text contains the output of a command. */
  reads: boolean;
  /** The current list. */
  list: CommandList;
  /** How the whole script uses values; shared by all nested texts. */
  readonly uses: ScriptUses;
  /** Why the parser is lost (C2). */
  lost: string | undefined;
  /** Called for each simple command. */
  readonly visit: (command: SimpleCommand, cursor: Cursor) => void;
}

/** The parts of a list of commands that decide what it prints. */
export interface CommandList {
  /** One pipeline of simple commands. */
  isPipeline: boolean;
  isSeparated: boolean;
  last: SimpleCommand | undefined;
}

/** Collected over the whole script; judged when it has been parsed (`flow/judge-flow.ts`). */
export interface ScriptUses {
  readonly sinks: Sink[];
  readonly filled: Filled[];
  /** Names of the functions it defines. */
  readonly functions: Set<string>;
  /** Programs whose output is trusted to be a number; none of them may be a function. */
  readonly trusted: Set<string>;
  /** `1` or a variable that the script checks to be a number → the end of the check. */
  readonly checked: Map<string, number>;
  /** So far there were only simple commands in sequence, each of which runs. */
  isStraight: boolean;
  /** The end of the last number check. */
  checkEnd: number;
  /** The script changes its parameters, so `$1` may vary. */
  movesParameters: boolean;
  /** Files it writes and files it runs: by name, or as written if the name is in a variable. */
  readonly written: Set<string>;
  readonly run: Set<string>;
  /** Commands it runs by name alone, and whether it sets `PATH`. */
  readonly named: Set<string>;
  setsPath: boolean;
  /** It uses arrays with text keys. */
  makesKeys: boolean;
  makesArrays: boolean;
  /** It uses variables whose values are evaluated when they are set. */
  makesIntegers: boolean;
  /** Words that set variables, including those of `declare` and so on. */
  readonly assigned: ScriptWord[];
  readonly declared: ScriptWord[];
  scopes: number;
}

const DEEPEST = 100;

export const REFERENCE_MARK = '\u{FFFC}';

export function atEnd(cursor: Cursor): boolean {
  return cursor.position >= cursor.text.length;
}

/** Whether the text contains no value, so that differences in where quotes end do no harm. */
export function holdsNoValue(cursor: Cursor): boolean {
  return cursor.referenceAt.size === 0;
}

/** The current position as an offset in the script itself. */
export function offsetOf(cursor: Cursor): number {
  return cursor.base ?? cursor.position;
}

/** The next character; `REFERENCE_MARK` for a reference, and only then is `referenceHere` defined. */
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
  if (cursor.forbidden === undefined) {
    cursor.places.set(reference, where);
    return;
  }
  if (cursor.forbidden === 'substitution') cursor.fromVariable.set(reference, where);
  refuse(cursor, reference, cursor.forbidden);
}

/** Whether a word that is only a reference may become several words without changing the role of the others. */
export function spread(cursor: Cursor, word: ScriptWord): void {
  const [reference] = word.references;
  if (!cursor.lists || reference === undefined || word.raw !== REFERENCE_MARK) return;
  if (cursor.places.get(reference) === 'bare') cursor.places.set(reference, 'words');
}

/** Parses something in which values are not allowed; an outer reason takes precedence over an inner one. */
export function forbidding(cursor: Cursor, refusal: Refusal, read: () => void): void {
  const outer = cursor.forbidden;
  cursor.forbidden ??= refusal;
  nested(cursor, read);
  cursor.forbidden = outer;
}

/** Parses a nested construct, up to a depth that no real script has. */
export function nested(cursor: Cursor, read: () => void): void {
  cursor.nesting += 1;
  if (cursor.nesting > DEEPEST) lose(cursor, 'it is nested too deeply');
  else read();
  cursor.nesting -= 1;
}

/** Shells disagree on a newline inside quotes or a substitution while a heredoc is pending. */
export function passText(cursor: Cursor, end: number): void {
  if (cursor.heredocs.length > 0 && cursor.text.slice(cursor.position, end).includes('\n')) {
    lose(cursor, 'a heredoc starts on a line continued by quotes or a substitution');
  } else cursor.position = end;
}
