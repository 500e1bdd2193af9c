import {
  atEnd,
  type Cursor,
  type Heredoc,
  holdsNoValue,
  lose,
  nested,
  peek,
  type Redirect,
  referenceHere,
  refuse,
  type ScriptWord,
  type SimpleCommand,
} from './cursor.ts';
import { addSink, gathering, readWithin } from './flow/gather.ts';
import { noteCheck, notStraight } from './flow/number-check.ts';
import { readCase, readCondition, readFor, readFunctionName } from './read-compound.ts';
import { readArithmetic } from './read-expansion.ts';
import { isProcessSubstitution, readDouble, readWord, skipBlanks, skipComment } from './read-word.ts';

/** What ends a list of commands: the end of the text, a `)`, or `;;` and `esac` in a branch of `case`. */
export type ListEnd = 'text' | 'parenthesis' | 'branch';

/** `expecting`: the next word is a command name or reserved word. `closed`: a compound command has just ended. */
type State = 'expecting' | 'closed';

const OPENS = new Set(['if', 'then', 'elif', 'else', 'while', 'until', 'do', '!', '{']);
const CLOSES = new Set(['fi', 'done', '}']);
const NOT_READ = new Set(['coproc', 'repeat', 'foreach', 'always', 'end', 'namespace']);
const REDIRECT = /<<<|<<-|<<|<&|<>|<|&>>|&>|>>|>&|>\||>/y;

/** Parses commands up to and including the end of their list. Returns true if `esac` ended a branch. */
export function readList(cursor: Cursor, end: ListEnd): boolean {
  let state: State = 'expecting';
  while (!atEnd(cursor)) {
    skipBlanks(cursor);
    const next = peek(cursor);
    const pair = next + peek(cursor, 1);
    if (atEnd(cursor)) break;
    if (state === 'expecting') noteCheck(cursor);
    if (next === '#') skipComment(cursor);
    else if (next === '\n') {
      readNewline(cursor);
      separate(cursor);
      state = 'expecting';
    } else if (next === ';') {
      if (/;[;&|]/.test(pair)) {
        if (end !== 'branch') return losing(cursor, '`;;` is outside `case`');
        cursor.position += cursor.text.startsWith(';;&', cursor.position) ? 3 : 2;
        return false;
      }
      cursor.position += 1;
      separate(cursor);
      state = 'expecting';
    } else if ((next === '&' && pair !== '&>') || next === '|') {
      notStraight(cursor);
      if (next === '&' || pair === '||') separate(cursor);
      cursor.position += pair === '&&' || pair === '||' || pair === '|&' ? 2 : 1;
      state = 'expecting';
    } else if (next === ')') {
      if (end !== 'parenthesis') return losing(cursor, 'a `)` has no matching `(`');
      cursor.position += 1;
      return false;
    } else if (next === '(') {
      if (state === 'closed') return losing(cursor, 'a `(` follows a command');
      notStraight(cursor);
      cursor.list.isPipeline = false;
      cursor.position += pair === '((' ? 2 : 1;
      if (pair === '((') readArithmetic(cursor);
      else if (/^[ \t]*\)/.test(cursor.text.slice(cursor.position, cursor.position + 40))) {
        return losing(cursor, '`()` has no name');
      } else nested(cursor, () => readList(cursor, 'parenthesis'));
      state = 'closed';
    } else {
      const ended = readCommand(cursor, state);
      if (ended === 'esac') {
        return end === 'branch' ? true : losing(cursor, '`esac` is outside `case`');
      }
      state = ended;
    }
  }
  if (end !== 'text' && cursor.lost === undefined) lose(cursor, 'a parenthesis or `case` is not closed');
  return false;
}

/** Notes that another command's output follows. */
function separate({ list }: Cursor): void {
  list.isSeparated ||= list.last !== undefined;
}

function losing(cursor: Cursor, reason: string): boolean {
  lose(cursor, reason);
  return false;
}

function readCommand(cursor: Cursor, state: State): State | 'esac' {
  const assignments: ScriptWord[] = [];
  const words: ScriptWord[] = [];
  const redirects: Redirect[] = [];
  while (!atEnd(cursor)) {
    skipBlanks(cursor);
    const next = peek(cursor);
    if (next === '' || '\n;|)'.includes(next) || (next === '&' && peek(cursor, 1) !== '>')) break;
    if (next === '#') {
      skipComment(cursor);
      break;
    }
    if (next === '(') {
      if (words.length === 1 && assignments.length === 0 && readFunctionParentheses(cursor, words[0])) {
        return 'expecting';
      }
      lose(cursor, 'a `(` is inside a command');
      break;
    }
    if ('<>&'.includes(next) && !isProcessSubstitution(cursor)) {
      const redirect = readRedirect(cursor);
      if (redirect !== undefined) redirects.push(redirect);
      continue;
    }
    const word = readWord(cursor);
    if ('<>'.includes(peek(cursor) || ' ')) {
      if (isDescriptor(word)) continue;
      // `{a[i]}> file` evaluates `i`.
      if (word.raw.startsWith('{') && word.raw.includes('['))
        lose(cursor, 'a redirection sets an element of an array');
    }
    if (words.length === 0 && assignments.length === 0 && word.unquoted) {
      const reserved = redirects.length === 0 ? readReserved(cursor, word.raw) : undefined;
      if (reserved !== undefined) {
        notStraight(cursor);
        cursor.list.isPipeline = false;
        return reserved;
      }
    }
    if (words.length === 0 && word.assigns !== undefined) assignments.push(word);
    else if (words.length === 0 && state === 'closed') {
      lose(cursor, 'a word follows the end of a compound command');
    } else if (cursor.dialect === 'zsh' && word.unquoted && (word.raw === '{' || word.raw === '}')) {
      lose(cursor, 'a brace is among the words of a command');
    } else words.push(word);
  }
  const command: SimpleCommand = { assignments, words, redirects };
  if (words.length + assignments.length > 0) {
    cursor.list.isPipeline &&= !cursor.list.isSeparated;
    cursor.list.last = command;
  }
  cursor.visit(command, cursor);
  return words.length + assignments.length === 0 ? state : 'expecting';
}

function isDescriptor(word: ScriptWord): boolean {
  return word.unquoted && /^(?:[0-9]+|\{[A-Za-z_][A-Za-z0-9_]*\})$/.test(word.raw);
}

/** Returns the state of the list after a reserved word, or `undefined` if the word is not reserved. */
function readReserved(cursor: Cursor, word: string): State | 'esac' | undefined {
  if (OPENS.has(word)) return 'expecting';
  if (CLOSES.has(word)) return 'closed';
  if (NOT_READ.has(word)) {
    lose(cursor, `\`${word}\` is not supported`);
    return 'closed';
  }
  switch (word) {
    case 'esac':
      return 'esac';
    case 'time': {
      skipBlanks(cursor);
      if (/^-p[ \t]/.test(cursor.text.slice(cursor.position, cursor.position + 3))) cursor.position += 2;
      else if (peek(cursor) === '-') lose(cursor, '`time` has options');
      return 'expecting';
    }
    case 'for':
    case 'select':
      readFor(cursor);
      return 'expecting';
    case 'case':
      nested(cursor, () => readCase(cursor));
      return 'closed';
    case 'function':
      readFunctionName(cursor);
      return 'expecting';
    case '[[':
      readCondition(cursor);
      return 'closed';
    default:
      return undefined;
  }
}

/** `name ()`: the body follows as a separate command. */
function readFunctionParentheses(cursor: Cursor, name: ScriptWord | undefined): boolean {
  const parentheses = /^\([ \t]*\)/.exec(cursor.text.slice(cursor.position, cursor.position + 40))?.[0];
  if (parentheses === undefined || name === undefined) return false;
  for (const reference of name.references) refuse(cursor, reference, 'name');
  notStraight(cursor);
  cursor.list.isPipeline = false;
  cursor.uses.functions.add(name.literal ?? name.raw);
  cursor.position += parentheses.length;
  return true;
}

function readRedirect(cursor: Cursor): Redirect | undefined {
  REDIRECT.lastIndex = cursor.position;
  const operator = REDIRECT.exec(cursor.text)?.[0] ?? '';
  cursor.position += operator.length;
  skipBlanks(cursor);
  const target = readWord(cursor);
  if (operator === '' || target.raw === '') {
    lose(cursor, 'a redirection has no target');
    return undefined;
  }
  if (operator === '<<' || operator === '<<-') {
    const isNested = cursor.depth > 0 && !holdsNoValue(cursor);
    if (target.literal === undefined || isNested || target.raw.includes('\n')) {
      lose(cursor, 'a heredoc inside a command substitution, or with an unusual delimiter, is not supported');
    } else {
      const isQuoted = /['"\\]/.test(target.raw);
      cursor.heredocs.push({ delimiter: target.literal, quoted: isQuoted, stripsTabs: operator === '<<-' });
    }
  }
  if (operator === '>&' || operator === '<&') {
    for (const reference of target.references) refuse(cursor, reference, 'descriptor');
    addSink(cursor, target.flow, { type: 'run', refusal: 'descriptor' });
  }
  return { operator, target };
}

/** Skips a newline and the heredoc bodies that start after it. */
export function readNewline(cursor: Cursor): void {
  cursor.position += 1;
  for (const heredoc of cursor.heredocs.splice(0)) {
    const from = cursor.position;
    let body = from;
    let closed = false;
    while (!atEnd(cursor) && !closed) {
      const newline = cursor.text.indexOf('\n', cursor.position);
      const end = newline === -1 ? cursor.text.length : newline;
      const line = cursor.text.slice(cursor.position, end);
      closed = (heredoc.stripsTabs ? line.replace(/^\t+/, '') : line) === heredoc.delimiter;
      // A backslash joins lines and may hide the delimiter.
      if (!closed && !heredoc.quoted && line.endsWith('\\') && mayHideDelimiter(cursor, end, heredoc)) {
        lose(cursor, 'a line of a heredoc ends in a backslash');
        return;
      }
      for (; cursor.position < end; cursor.position += 1) {
        const reference = referenceHere(cursor);
        if (reference === undefined) continue;
        if (!heredoc.quoted) cursor.fromVariable.set(reference, 'double');
        refuse(cursor, reference, 'heredoc');
      }
      if (!closed) body = end;
      cursor.position = end + 1;
    }
    if (!heredoc.quoted && cursor.lost === undefined) readBody(cursor, cursor.text.slice(from, body));
  }
}

/** A line joined to the next by a backslash may hide the delimiter. */
function mayHideDelimiter(cursor: Cursor, end: number, { delimiter, stripsTabs }: Heredoc): boolean {
  const [next = ''] = cursor.text.slice(end + 1).split('\n', 1);
  return !holdsNoValue(cursor) || (stripsTabs ? next.trimStart() : next) === delimiter;
}

/** Its content is expanded as inside double quotes, except that a quote is plain text. */
function readBody(cursor: Cursor, text: string): void {
  if (!/[$`]/.test(text)) return;
  gathering(cursor, () => {
    const quoted = `${text.replaceAll('"', ' ')}"`;
    readWithin(cursor, { text: quoted, scope: cursor.scope }, (within) => readDouble(within, undefined));
  });
}
