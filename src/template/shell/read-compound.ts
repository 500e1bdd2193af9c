import { atEnd, type Cursor, lose, passText, peek, refuse, type ScriptWord, spread } from './cursor.ts';
import { readList, readNewline } from './read-commands.ts';
import { readArithmetic } from './read-expansion.ts';
import { isProcessSubstitution, readWord, skipBlanks, skipComment } from './read-word.ts';

/** Operators of `[[ … ]]` whose operands a shell evaluates: as arithmetic, or as a name with a subscript. */
const EVALUATING = /^-(?:eq|ne|lt|le|gt|ge|v|R)$/;

/** After `for` or `select`, up to and without the separator before `do`. */
export function readFor(cursor: Cursor): void {
  skipBlanks(cursor);
  if (cursor.text.startsWith('((', cursor.position)) {
    cursor.position += 2;
    readArithmetic(cursor);
    return;
  }
  const name = readWord(cursor);
  for (const reference of name.references) refuse(cursor, reference, 'name');
  const from = cursor.position;
  readForWords(cursor, name);
  // A name that a value would choose is refused, and no other text can speak of it.
  if (cursor.lost !== undefined || name.references.length > 0) return;
  const raw = cursor.text.slice(from, cursor.position);
  const references = [...cursor.referenceAt].filter(([at]) => at >= from && at < cursor.position);
  cursor.filled.push({ name: name.raw, raw, references: references.map(([, reference]) => reference) });
}

function readForWords(cursor: Cursor, name: ScriptWord): void {
  if (name.references.length === 0 && !/^[A-Za-z_][A-Za-z0-9_]*$/.test(name.raw)) {
    lose(cursor, '`for` has no plain name');
    return;
  }
  skipLines(cursor);
  if (peek(cursor) === ';' || atEnd(cursor)) return;
  const keyword = readWord(cursor);
  if (keyword.raw === 'do') return;
  if (keyword.raw !== 'in') {
    lose(cursor, '`for` is followed by neither `in` nor `do`');
    return;
  }
  for (;;) {
    skipBlanks(cursor);
    const next = peek(cursor);
    if (next === '' || next === ';' || next === '\n') return;
    if (next === '#') {
      skipComment(cursor);
      return;
    }
    if ('&|<>()'.includes(next) && !isProcessSubstitution(cursor)) {
      lose(cursor, 'an operator stands among the words of `for`');
      return;
    }
    spread(cursor, readWord(cursor));
  }
}

/** After `case`, over its `esac`. */
export function readCase(cursor: Cursor): void {
  // Old shells end a command substitution at the `)` of a pattern.
  if (cursor.depth > 0) {
    lose(cursor, '`case` stands inside a command substitution');
    return;
  }
  skipBlanks(cursor);
  readWord(cursor);
  skipLines(cursor);
  if (readWord(cursor).raw !== 'in') {
    lose(cursor, '`case` has no `in`');
    return;
  }
  while (!atEnd(cursor)) {
    skipLines(cursor);
    if (peek(cursor) === '(') cursor.position += 1;
    else if (/^esac(?![A-Za-z0-9_])/.test(cursor.text.slice(cursor.position, cursor.position + 5))) {
      cursor.position += 4;
      return;
    }
    readPatterns(cursor);
    if (readList(cursor, 'branch')) return;
  }
}

function readPatterns(cursor: Cursor): void {
  for (;;) {
    skipBlanks(cursor);
    if (readWord(cursor).raw === '') {
      lose(cursor, 'a branch of `case` has no pattern');
      return;
    }
    skipBlanks(cursor);
    const next = peek(cursor);
    if (next !== '|' && next !== ')') {
      lose(cursor, 'a pattern of `case` is not closed');
      return;
    }
    cursor.position += 1;
    if (next === ')') return;
  }
}

/** After `[[`, over its `]]`. Only quoting matters here, so its operators are read as characters of words. */
export function readCondition(cursor: Cursor): void {
  const words: ScriptWord[] = [];
  while (!atEnd(cursor)) {
    skipBlanks(cursor);
    const next = peek(cursor);
    if (next === '\n') passText(cursor, cursor.position + 1);
    else if (next === ';' || next === '#') {
      lose(cursor, 'a `;` or `#` stands inside `[[ … ]]`');
      return;
    } else {
      const word = readWord(cursor, true);
      if (word.raw === ']]') {
        refuseOperands(cursor, words);
        return;
      }
      words.push(word);
    }
  }
  lose(cursor, '`[[` is not closed');
}

function refuseOperands(cursor: Cursor, words: readonly ScriptWord[]): void {
  const isEvaluated = words.some((word) => EVALUATING.test(word.raw.replace(/^[(!]+/, '')));
  if (isEvaluated) cursor.computed.push(...words.map((word) => word.raw));
  for (const word of words) {
    // In zsh `(…)` in a pattern may hold flags that run code.
    const isPattern = cursor.dialect === 'zsh' && word.raw.includes('(');
    for (const reference of word.references) {
      if (isEvaluated) refuse(cursor, reference, 'test-operator');
      else if (isPattern) refuse(cursor, reference, 'pattern-code');
    }
  }
}

/** After `function`. */
export function readFunctionName(cursor: Cursor): void {
  skipBlanks(cursor);
  const name = readWord(cursor);
  for (const reference of name.references) refuse(cursor, reference, 'name');
  cursor.functions.add(name.raw);
  const parentheses = /^[ \t]*\([ \t]*\)/.exec(cursor.text.slice(cursor.position, cursor.position + 40))?.[0];
  if (parentheses !== undefined) cursor.position += parentheses.length;
}

function skipLines(cursor: Cursor): void {
  for (;;) {
    skipBlanks(cursor);
    if (peek(cursor) === '\n') readNewline(cursor);
    else if (peek(cursor) === '#') skipComment(cursor);
    else return;
  }
}
