import {
  atEnd,
  type Cursor,
  holdsNoValue,
  lose,
  passText,
  peek,
  refuse,
  type ScriptWord,
  spread,
} from './cursor.ts';
import { type Flow, joinFlows, NO_FLOW } from './flow/flow.ts';
import { addSink, expand, fill, gathering } from './flow/gather.ts';
import { fillNamed } from './note-assignments.ts';
import { readList, readNewline } from './read-commands.ts';
import { readArithmetic } from './read-expansion.ts';
import { isProcessSubstitution, readWord, skipBlanks, skipComment } from './read-word.ts';

/** Operators of `[[ … ]]` whose operands a shell evaluates as arithmetic or as a name with a subscript. */
const EVALUATING = /^-(?:eq|ne|lt|le|gt|ge|v|R)$/;

/** Parses after `for` or `select`, up to the separator before `do`. */
export function readFor(cursor: Cursor): void {
  skipBlanks(cursor);
  if (cursor.text.startsWith('((', cursor.position)) {
    cursor.position += 2;
    readArithmetic(cursor);
    return;
  }
  const name = readWord(cursor);
  for (const reference of name.references) refuse(cursor, reference, 'name');
  const words = readForWords(cursor, name);
  fillNamed(cursor, name.raw, words ?? parametersAll(cursor));
  // `select` reads its value from the user.
  fill(cursor, 'REPLY', { ...NO_FLOW, reads: true });
}

/** In `for v; do` the words are the parameters. */
function parametersAll(cursor: Cursor): Flow {
  return gathering(cursor, () => expand(cursor, '@', { isWhole: true }));
}

/** What the words expand; `undefined` if there is no `in`. */
function readForWords(cursor: Cursor, name: ScriptWord): Flow | undefined {
  if (name.references.length === 0 && !/^[A-Za-z_][A-Za-z0-9_]*$/.test(name.raw)) {
    lose(cursor, '`for` is not followed by a plain name');
    return undefined;
  }
  skipLines(cursor);
  if (peek(cursor) === ';' || atEnd(cursor)) return undefined;
  const keyword = readWord(cursor);
  if (keyword.raw === 'do') return undefined;
  if (keyword.raw !== 'in') {
    lose(cursor, '`for` is followed by neither `in` nor `do`');
    return undefined;
  }
  const words: ScriptWord[] = [];
  for (;;) {
    skipBlanks(cursor);
    const next = peek(cursor);
    if (next === '#') skipComment(cursor);
    if (next === '' || next === ';' || next === '\n' || next === '#') break;
    if ('&|<>()'.includes(next) && !isProcessSubstitution(cursor)) {
      lose(cursor, 'an operator is among the words of `for`');
      break;
    }
    const word = readWord(cursor);
    spread(cursor, word);
    words.push(word);
  }
  const flow = joinFlows(words.map((word) => word.flow));
  return { ...flow, reads: flow.reads || words.some((word) => word.globs) };
}

/** Parses after `case`, up to and including its `esac`. */
export function readCase(cursor: Cursor): void {
  // Older shells end a command substitution at the `)` of a pattern.
  if (cursor.depth > 0 && !holdsNoValue(cursor)) {
    lose(cursor, '`case` is inside a command substitution');
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

/** Parses after `[[`, up to and including its `]]`. Only quoting matters here, so operators are read as characters of words. */
export function readCondition(cursor: Cursor): void {
  const words: ScriptWord[] = [];
  while (!atEnd(cursor)) {
    skipBlanks(cursor);
    const next = peek(cursor);
    if (next === '\n') passText(cursor, cursor.position + 1);
    else if (next === ';' || next === '#') {
      lose(cursor, 'a `;` or `#` is inside `[[ … ]]`');
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
  words.forEach((word, index) => {
    const operator = word.raw.replace(/^[(!]+/, '');
    if (!EVALUATING.test(operator)) return;
    const before = /^-[vR]$/.test(operator) ? [] : [words[index - 1]];
    for (const operand of [...before, words[index + 1]]) refuseOperand(cursor, operand, before.length > 0);
  });
  // In zsh `(…)` in a pattern may contain flags that run code.
  if (cursor.dialect !== 'zsh') return;
  for (const word of words.filter(({ raw }) => raw.includes('('))) {
    addSink(cursor, word.flow, { type: 'run', refusal: 'pattern-code' });
  }
}

/** A number, or a name whose subscript alone is evaluated. */
function refuseOperand(cursor: Cursor, word: ScriptWord | undefined, isNumber: boolean): void {
  if (word === undefined) return;
  const { flow, literal } = word;
  const refusal = isNumber ? 'arithmetic' : 'name';
  const text = isNumber || literal === undefined ? flow.text : subscriptOf(literal);
  for (const reference of word.references) refuse(cursor, reference, refusal);
  addSink(cursor, { ...flow, text }, { type: 'computed', refusal });
}

/** The evaluated part of a name: `i` of `a[i]`. */
export function subscriptOf(name: string): string {
  return /\[([\s\S]*)/.exec(name)?.[1] ?? '';
}

/** Parses after `function`. */
export function readFunctionName(cursor: Cursor): void {
  skipBlanks(cursor);
  const name = readWord(cursor);
  for (const reference of name.references) refuse(cursor, reference, 'name');
  cursor.uses.functions.add(name.literal ?? name.raw);
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
