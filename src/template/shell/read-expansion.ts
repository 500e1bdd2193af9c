import {
  atEnd,
  type CommandList,
  type Cursor,
  forbidding,
  holdsNoValue,
  lose,
  offsetOf,
  passText,
  peek,
  referenceHere,
  refuse,
} from './cursor.ts';
import { type Flow, NUMBER, PUT_IN } from './flow/flow.ts';
import { addSink, emptyList, expand, expandParameter, gathering, readWithin } from './flow/gather.ts';
import { UNREAD_TEXT } from './flow/judge-flow.ts';
import { printsNumber } from './flow/prints-number.ts';
import { readList } from './read-commands.ts';
import { readBraces } from './read-parameter.ts';
import { readDouble } from './read-word.ts';

const PARAMETER = /[A-Za-z_][A-Za-z0-9_]*|[0-9@*#?$!-]/y;

/** What a `$` starts: `text` if it may be anything, `number`, or `dollar` if it is an ordinary character. */
export type DollarPart = 'text' | 'number' | 'dollar';

export function readDollar(cursor: Cursor, inDouble: boolean): DollarPart {
  const reference = referenceHere(cursor, 1);
  if (reference !== undefined) {
    refuse(cursor, reference, 'after-dollar');
    cursor.position += 2;
    return 'text';
  }
  const next = peek(cursor, 1);
  if (next === '(' && peek(cursor, 2) === '(') {
    cursor.position += 3;
    readArithmetic(cursor);
    return 'number';
  }
  if (next === '(') {
    cursor.position += 2;
    return readSubstitution(cursor);
  }
  if (next === '{') {
    cursor.position += 2;
    return readBraces(cursor, inDouble);
  }
  if (next === '[') lose(cursor, '`$[` is arithmetic in some shells and text in others');
  else if (next === "'" && !inDouble) {
    readAnsiQuotes(cursor);
    expand(cursor, UNREAD_TEXT, { isWhole: false });
  } else if (next === '"' && !inDouble) {
    cursor.position += 2;
    forbidding(cursor, 'locale-quotes', () => readDouble(cursor, undefined));
    expand(cursor, UNREAD_TEXT, { isWhole: false });
  } else return readName(cursor, inDouble);
  return 'text';
}

function readName(cursor: Cursor, inDouble: boolean): DollarPart {
  PARAMETER.lastIndex = cursor.position + 1;
  const name = PARAMETER.exec(cursor.text)?.[0];
  if (name === undefined) {
    if (cursor.dialect === 'zsh' && /[~=^+]/.test(peek(cursor, 1)))
      lose(cursor, '`$~name` is an expansion in zsh');
    cursor.position += 1;
    return 'dollar';
  }
  const part = expandParameter(cursor, name, { isWhole: true });
  cursor.position += 1 + name.length;
  const reference = referenceHere(cursor);
  if (reference !== undefined && inDouble) refuse(cursor, reference, 'after-variable');
  if (cursor.dialect === 'zsh' && peek(cursor) === '[') lose(cursor, '`$name[` is a subscript in zsh');
  return part;
}

/** Its mark in the text of a flow. */
export function markFor(part: DollarPart): string {
  if (part === 'dollar') return '$';
  return part === 'number' ? NUMBER : PUT_IN;
}

/** `$(…)`, `<(…)`, `>(…)` after the opening. Commands inside are parsed to find the end; values are not allowed there. */
export function readSubstitution(cursor: Cursor): DollarPart {
  const { heredocs, list, position: start } = cursor;
  cursor.heredocs = [];
  cursor.list = emptyList();
  cursor.depth += 1;
  const inside = gathering(cursor, () =>
    forbidding(cursor, 'substitution', () => readList(cursor, 'parenthesis')),
  );
  cursor.depth -= 1;
  if (cursor.heredocs.length > 0) lose(cursor, 'a heredoc starts inside a command substitution');
  cursor.heredocs = heredocs;
  const end = cursor.position;
  cursor.position = start;
  passText(cursor, end);
  const printed = cursor.list;
  cursor.list = list;
  return putOutput(cursor, printed, inside);
}

/** The output of a list is expanded in the surrounding text. */
function putOutput(cursor: Cursor, printed: CommandList, inside: Flow): DollarPart {
  const number = printed.isPipeline ? printsNumber(printed.last, cursor.dialect) : undefined;
  if (number !== undefined) {
    cursor.uses.trusted.add(number);
    return 'number';
  }
  cursor.expansions.push(...inside.expansions);
  cursor.reads = true;
  return 'text';
}

/** Parses up to the next backtick without a backslash before it; quotes do not protect a backtick. */
export function readBackticks(cursor: Cursor, inDouble = false): DollarPart {
  const { position: start } = cursor;
  cursor.position += 1;
  while (!atEnd(cursor)) {
    const reference = referenceHere(cursor);
    if (reference !== undefined) refuse(cursor, reference, 'substitution');
    const next = peek(cursor);
    if (next === '`') {
      const end = cursor.position + 1;
      const text = cursor.text.slice(start + 1, cursor.position);
      cursor.position = start;
      passText(cursor, end);
      return readCommands(cursor, text.replace(inDouble ? /\\([\\$`"])/g : /\\([\\$`])/g, '$1'));
    }
    const escaped = next === '\\' ? referenceHere(cursor, 1) : undefined;
    if (escaped !== undefined) refuse(cursor, escaped, 'substitution');
    cursor.position += next === '\\' ? 2 : 1;
  }
  lose(cursor, 'a backtick is not closed');
  return 'text';
}

/** Parses the commands of backticks after removing backslashes. */
function readCommands(cursor: Cursor, text: string): DollarPart {
  let printed = emptyList();
  const inside = gathering(cursor, () => {
    readWithin(cursor, { text, scope: cursor.scope }, (within) => {
      within.depth += 1;
      readList(within, 'text');
      printed = within.list;
    });
  });
  return putOutput(cursor, printed, inside);
}

/** Parses after `((`, up to the closing parentheses. Text that only some shells treat as arithmetic is not supported. */
export function readArithmetic(cursor: Cursor): void {
  const at = offsetOf(cursor);
  let text = '';
  const inside = gathering(cursor, () => {
    text = readToClose(cursor);
  });
  addSink(cursor, { ...inside, text }, { type: 'computed', refusal: 'arithmetic', at });
}

/** Returns the text with a mark for each expansion. */
function readToClose(cursor: Cursor): string {
  let text = '';
  forbidding(cursor, 'arithmetic', () => {
    let open = 2;
    while (!atEnd(cursor)) {
      const next = peek(cursor);
      const reference = referenceHere(cursor);
      if (reference !== undefined) {
        refuse(cursor, reference, 'arithmetic');
        text += PUT_IN;
        cursor.position += 1;
      } else if (next === '"' && holdsNoValue(cursor)) {
        text += next;
        cursor.position += 1;
      } else if ('\'"`\\'.includes(next)) {
        return lose(cursor, 'quotes are inside arithmetic');
      } else if (next === '#' && /[\s(;|&]/.test(peek(cursor, -1))) {
        return lose(cursor, 'a comment may start inside arithmetic');
      } else if (/\bcase\s/y.test(cursor.text.slice(cursor.position, cursor.position + 5))) {
        return lose(cursor, '`case` is inside arithmetic');
      } else if (cursor.text.startsWith('<<', cursor.position) && !/[\s\d$(]/.test(peek(cursor, 2))) {
        return lose(cursor, 'a heredoc may start inside arithmetic');
      } else if (next === '$') text += markFor(readDollar(cursor, true));
      else {
        if (next === '(') open += 1;
        if (next === ')') open -= 1;
        text += next;
        passText(cursor, cursor.position + 1);
        if (open === 0) return;
      }
    }
    lose(cursor, 'arithmetic is not closed');
  });
  return text;
}

/** `$'…'`, where a backslash escapes a quote; a shell without this syntax sees `$` and single quotes. */
function readAnsiQuotes(cursor: Cursor): void {
  const start = cursor.position;
  cursor.position += 2;
  while (!atEnd(cursor)) {
    const reference = referenceHere(cursor);
    if (reference !== undefined) refuse(cursor, reference, 'ansi-quotes');
    const next = peek(cursor);
    if (next === "'") {
      const end = cursor.position + 1;
      cursor.position = start;
      passText(cursor, end);
      return;
    }
    const escapesQuote = next === '\\' && /['\\]/.test(peek(cursor, 1));
    if (
      (escapesQuote && cursor.dialect === 'posix') ||
      (next === '\\' && referenceHere(cursor, 1) !== undefined)
    ) {
      lose(cursor, "`$'…'` is not supported by every version of the shell");
      return;
    }
    cursor.position += next === '\\' ? 2 : 1;
  }
  lose(cursor, "`$'` is not closed");
}
