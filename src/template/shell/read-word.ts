import {
  atEnd,
  type Cursor,
  forbidding,
  holdsNoValue,
  lose,
  nested,
  passText,
  peek,
  place,
  REFERENCE_MARK,
  referenceHere,
  refuse,
  type ScriptWord,
  spread,
} from './cursor.ts';
import { type Flow, PUT_IN } from './flow/flow.ts';
import { addSink, gathering } from './flow/gather.ts';
import { type DollarPart, markFor, readBackticks, readDollar, readSubstitution } from './read-expansion.ts';

const ENDS_WORD = new Set([' ', '\t', '\n', ';', '&', '|', '<', '>', '(', ')']);
const ARRAY_START = /^[A-Za-z_][A-Za-z0-9_]*(?:\[[^\]]*\])?\+?=$/;
const ASSIGNMENT = /^([A-Za-z_][A-Za-z0-9_]*)\+?=/;
/** `"$@"` and `"${a[@]}"` expand to any number of words. */
const MAKES_WORDS = /^\$(?:@|\{!?(?:@|[A-Za-z_][A-Za-z0-9_]*(?:\[@\]|@)))/;
const OPEN_SUBSCRIPT = /^[A-Za-z_][A-Za-z0-9_]*\[[^\]]*$/;
const SUBSCRIPTED = /^((?:[A-Za-z_][A-Za-z0-9_]*)?)\[/;

/** The part of a word parsed so far. */
interface WordParts {
  known: string;
  /** The complete text, with marks for expansions. */
  text: string;
  splits: boolean;
  /** It expands to file names. */
  globs: boolean;
  prefix: string | undefined;
  unquoted: boolean;
  isArray: boolean;
  readonly references: number[];
  readonly referenceOffsets: number[];
}

export function skipBlanks(cursor: Cursor): void {
  for (;;) {
    const next = peek(cursor);
    if (next === ' ' || next === '\t') cursor.position += 1;
    else if (next === '\\' && peek(cursor, 1) === '\n') passText(cursor, cursor.position + 2);
    else return;
  }
}

export function skipComment(cursor: Cursor): void {
  const newline = cursor.text.indexOf('\n', cursor.position);
  const end = newline === -1 ? cursor.text.length : newline;
  // Older shells count quotes and parentheses in a comment inside `$(…)`.
  if (
    cursor.depth > 0 &&
    !holdsNoValue(cursor) &&
    /['"`()\\]/.test(cursor.text.slice(cursor.position, end))
  ) {
    lose(cursor, 'a comment inside a command substitution contains quotes or parentheses');
    return;
  }
  for (; cursor.position < end; cursor.position += 1) {
    const reference = referenceHere(cursor);
    if (reference !== undefined) refuse(cursor, reference, 'comment');
  }
}

/** Parses up to an unquoted blank or operator. In a condition (`[[ … ]]`) only blanks and `;` end a word. */
export function readWord(cursor: Cursor, inCondition = false): ScriptWord {
  const start = cursor.position;
  const parts: WordParts = {
    known: '',
    text: '',
    splits: false,
    globs: false,
    prefix: undefined,
    unquoted: true,
    isArray: false,
    references: [],
    referenceOffsets: [],
  };
  const inside = gathering(cursor, () => readParts(cursor, parts, { start, inCondition }));
  // A word of a command inside a substitution is expanded in the text around that.
  cursor.expansions.push(...inside.expansions);
  cursor.reads ||= inside.reads;
  const raw = cursor.text.slice(start, Math.min(cursor.position, cursor.text.length));
  return finishWord(parts, { raw, start, inside, isWithin: cursor.base !== undefined });
}

function readParts(
  cursor: Cursor,
  parts: WordParts,
  { start, inCondition }: { readonly start: number; readonly inCondition: boolean },
): void {
  while (!atEnd(cursor)) {
    const next = peek(cursor);
    const reference = referenceHere(cursor);
    if (reference !== undefined) {
      addReference(cursor, parts, reference);
      place(cursor, reference, 'bare');
      cursor.position += 1;
    } else if ((next === '<' || next === '>') && peek(cursor, 1) === '(' && !inCondition) {
      cursor.position += 2;
      putIn(parts, readSubstitution(cursor));
    } else if (next === '(' && !inCondition) {
      if (!readParentheses(cursor, parts, cursor.text.slice(start, cursor.position))) break;
    } else if (inCondition ? ' \t\n;'.includes(next) : ENDS_WORD.has(next)) {
      // bash reads `a[i + 1]=x` as one word.
      if (!inCondition && OPEN_SUBSCRIPT.test(cursor.text.slice(start, cursor.position)))
        lose(cursor, 'a subscript contains a blank or an operator');
      break;
    } else readPart(cursor, parts, next);
  }
}

function readPart(cursor: Cursor, parts: WordParts, next: string): void {
  switch (next) {
    case "'":
      parts.unquoted = false;
      readSingle(cursor, parts);
      return;
    case '"':
      parts.unquoted = false;
      cursor.position += 1;
      readDouble(cursor, parts);
      return;
    case '\\': {
      parts.unquoted = false;
      const reference = referenceHere(cursor, 1);
      if (reference !== undefined) refuseAfterBackslash(cursor, parts, reference);
      else if (peek(cursor, 1) !== '\n') know(parts, peek(cursor, 1));
      passText(cursor, cursor.position + 2);
      return;
    }
    case '$':
      readDollarPart(cursor, parts, false);
      return;
    case '`':
      putIn(parts, readBackticks(cursor));
      return;
    case '*':
    case '?':
    case '{':
      // The shell may turn it into other words, and more than one.
      if (next !== '{' || !/[\s;}]/.test(peek(cursor, 1) || ' ')) {
        endKnown(parts);
        if (next === '{') parts.splits = true;
        else parts.globs = true;
      }
      know(parts, next);
      cursor.position += 1;
      return;
    default:
      if (next === '[') parts.globs = true;
      know(parts, next);
      cursor.position += 1;
  }
}

function know(parts: WordParts, text: string): void {
  parts.known += text;
  parts.text += text;
}

/** `isQuoted`: the word stays one word. */
function putIn(parts: WordParts, part: DollarPart, isQuoted = false): void {
  if (part === 'dollar') {
    know(parts, '$');
    return;
  }
  endKnown(parts);
  parts.text += markFor(part);
  if (part === 'text' && !isQuoted) parts.splits = true;
}

/** `$` is plain text before a quote inside double quotes and before anything that is not a parameter name. */
function readDollarPart(cursor: Cursor, parts: WordParts, inDouble: boolean): void {
  const before = cursor.position;
  parts.unquoted = false;
  const part = readDollar(cursor, inDouble);
  const written = cursor.text.slice(before, cursor.position);
  putIn(parts, part, (inDouble && !MAKES_WORDS.test(written)) || /^\$['"]/.test(written));
  for (let at = before; at < Math.min(cursor.position, cursor.text.length); at += 1) {
    const reference = cursor.referenceAt.get(at);
    if (reference !== undefined) parts.references.push(reference);
  }
}

function readSingle(cursor: Cursor, parts: WordParts): void {
  const close = cursor.text.indexOf("'", cursor.position + 1);
  if (close === -1) {
    lose(cursor, 'a single quote is not closed');
    return;
  }
  for (let at = cursor.position + 1; at < close; at += 1) {
    const reference = cursor.referenceAt.get(at);
    if (reference === undefined) know(parts, cursor.text[at] ?? '');
    else {
      addReference(cursor, parts, reference);
      place(cursor, reference, 'single');
    }
  }
  passText(cursor, close + 1);
}

/** Parses after the opening quote. */
export function readDouble(cursor: Cursor, parts: WordParts | undefined): void {
  const start = cursor.position;
  while (!atEnd(cursor)) {
    const next = peek(cursor);
    const reference = referenceHere(cursor);
    if (reference !== undefined) {
      if (parts !== undefined) addReference(cursor, parts, reference);
      place(cursor, reference, 'double');
      cursor.position += 1;
    } else if (next === '"') {
      const end = cursor.position + 1;
      cursor.position = start;
      passText(cursor, end);
      return;
    } else if (next === '\\') {
      const escaped = referenceHere(cursor, 1);
      if (escaped !== undefined) refuseAfterBackslash(cursor, parts, escaped);
      else if (parts !== undefined) know(parts, unescaped(peek(cursor, 1)));
      cursor.position += 2;
    } else if (next === '$') {
      if (parts !== undefined) readDollarPart(cursor, parts, true);
      else readDollar(cursor, true);
    } else if (next === '`') {
      const part = readBackticks(cursor, true);
      if (parts !== undefined) putIn(parts, part, true);
    } else {
      if (parts !== undefined) know(parts, next);
      cursor.position += 1;
    }
  }
  lose(cursor, 'a double quote is not closed');
}

function unescaped(character: string): string {
  if (character === '\n') return '';
  return '$`"\\'.includes(character) ? character : `\\${character}`;
}

/** Returns false if the parenthesis is not part of the word. */
function readParentheses(cursor: Cursor, parts: WordParts, raw: string): boolean {
  if (ARRAY_START.test(raw)) {
    parts.isArray = true;
    cursor.position += 1;
    nested(cursor, () => readArray(cursor, parts));
    return true;
  }
  if (!/[?*+@!]$/.test(raw) || !parts.unquoted) return false;
  // Without `extglob` it is an error, after which bash continues at the next line, perhaps inside a value.
  if ((cursor.dialect === 'bash' && !holdsNoValue(cursor)) || cursor.dialect === 'posix') {
    lose(cursor, 'a pattern in parentheses needs `extglob`, which may be off');
    return true;
  }
  endKnown(parts);
  const read = (): void => nested(cursor, () => readPattern(cursor, parts));
  // In zsh a qualifier such as `*(e:…:)` is code.
  if (cursor.dialect === 'zsh') forbidding(cursor, 'pattern-code', read);
  else read();
  return true;
}

/** `@(a|b)` with nested parentheses; alternatives are read as words. */
function readPattern(cursor: Cursor, parts: WordParts): void {
  cursor.position += 1;
  while (!atEnd(cursor)) {
    const next = peek(cursor);
    if (next === ')') {
      cursor.position += 1;
      return;
    }
    if (next === '|') cursor.position += 1;
    else if (ENDS_WORD.has(next)) {
      lose(cursor, 'a pattern in parentheses contains blanks or operators');
      return;
    } else parts.references.push(...readWord(cursor).references);
  }
  lose(cursor, 'a pattern in parentheses is not closed');
}

function readArray(cursor: Cursor, parts: WordParts): void {
  endKnown(parts);
  while (!atEnd(cursor)) {
    skipBlanks(cursor);
    const next = peek(cursor);
    if (next === '\n') passText(cursor, cursor.position + 1);
    else if (next === '#') skipComment(cursor);
    else if (next === ')') {
      cursor.position += 1;
      return;
    } else if (ENDS_WORD.has(next) && !isProcessSubstitution(cursor)) {
      lose(cursor, 'an array contains an operator');
      return;
    } else {
      const element = readWord(cursor);
      parts.references.push(...element.references);
      parts.text += `${element.flow.text} `;
      cursor.reads ||= element.globs;
      spread(cursor, element);
      if (element.subscript !== undefined) {
        for (const reference of element.references) refuse(cursor, reference, 'subscript');
        addSink(cursor, element.subscript, { type: 'computed', refusal: 'subscript' });
      }
    }
  }
  lose(cursor, 'an array is not closed');
}

export function isProcessSubstitution(cursor: Cursor): boolean {
  return /[<>]/.test(peek(cursor)) && peek(cursor, 1) === '(';
}

function addReference(cursor: Cursor, parts: WordParts, reference: number): void {
  endKnown(parts);
  parts.text += PUT_IN;
  parts.references.push(reference);
  parts.referenceOffsets.push(cursor.position);
}

function refuseAfterBackslash(cursor: Cursor, parts: WordParts | undefined, reference: number): void {
  if (parts !== undefined) addReference(cursor, parts, reference);
  refuse(cursor, reference, 'after-backslash');
}

function endKnown(parts: WordParts): void {
  parts.prefix ??= parts.known;
  parts.known = '';
}

/** The properties of a word, known at its end. */
interface ReadWord {
  readonly raw: string;
  readonly start: number;
  readonly inside: Flow;
  /** It is in a nested text, so its places cannot be compared. */
  readonly isWithin: boolean;
}

function finishWord(parts: WordParts, word: ReadWord): ScriptWord {
  const { raw, inside } = word;
  const subscripted = SUBSCRIPTED.exec(raw);
  const assignment = ASSIGNMENT.exec(raw);
  const subscriptEnd = subscripted === null ? -1 : Math.max(raw.lastIndexOf(']='), raw.lastIndexOf(']+='));
  const isSubscript = subscripted !== null && subscriptEnd !== -1;
  const subscript = isSubscript ? subscriptFlow(parts, word, subscriptEnd) : undefined;
  const { references, text, splits, globs } = parts;
  return {
    raw,
    literal: parts.prefix === undefined ? parts.known : undefined,
    prefix: parts.prefix ?? parts.known,
    suffix: parts.known,
    unquoted: parts.unquoted && !raw.includes(REFERENCE_MARK),
    references,
    assigns: assignment?.[1] ?? (isSubscript && subscripted[1] !== '' ? subscripted[1] : undefined),
    isArray: parts.isArray || (isSubscript && subscripted[1] !== ''),
    flow: { references, expansions: inside.expansions, reads: inside.reads, text },
    subscript,
    splits,
    globs,
  };
}

function subscriptFlow(parts: WordParts, { raw, start, inside, isWithin }: ReadWord, end: number): Flow {
  const written = raw.slice(0, end);
  const isPutIn = /[$`]/.test(written);
  return {
    references: parts.references.filter((_, index) => (parts.referenceOffsets[index] ?? 0) - start < end),
    expansions: inside.expansions.filter(({ at }) => (isWithin ? isPutIn : at - start < end)),
    reads: inside.reads && /\$\(|`/.test(written),
    text: parts.text.slice(parts.text.indexOf('[') + 1, parts.text.lastIndexOf(']') + 1),
  };
}
