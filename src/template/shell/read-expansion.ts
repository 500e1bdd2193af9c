import { atEnd, type Cursor, forbidding, lose, passText, peek, referenceHere, refuse } from './cursor.ts';
import { readList } from './read-commands.ts';
import { readDouble } from './read-word.ts';

const PARAMETER = /[A-Za-z_][A-Za-z0-9_]*|[0-9@*#?$!-]/y;

/** Reads what a `$` begins. Answers true where the `$` is ordinary text. */
export function readDollar(cursor: Cursor, inDouble: boolean): boolean {
  const reference = referenceHere(cursor, 1);
  if (reference !== undefined) {
    refuse(cursor, reference, 'after-dollar');
    cursor.position += 2;
    return false;
  }
  const next = peek(cursor, 1);
  if (next === '(' && peek(cursor, 2) === '(') {
    cursor.position += 3;
    readArithmetic(cursor);
  } else if (next === '(') {
    cursor.position += 2;
    readSubstitution(cursor);
  } else if (next === '{') {
    cursor.position += 2;
    const start = cursor.position;
    forbidding(cursor, 'expansion', () => readParameter(cursor, inDouble));
    const inside = cursor.text.slice(start, cursor.position);
    cursor.computed.push(...computedIn(inside));
  } else if (next === '[') lose(cursor, '`$[` is arithmetic in some shells and text in others');
  else if (next === "'" && !inDouble) readAnsiQuotes(cursor);
  else if (next === '"' && !inDouble) {
    cursor.position += 2;
    forbidding(cursor, 'locale-quotes', () => readDouble(cursor, undefined));
  } else return readName(cursor, inDouble);
  return false;
}

/** `${a[i]}`, `${a:i}` and `${!a}` evaluate what `i`, and the variable named by `a`, hold; `${a:-b}` and `${a[@]}` do not. */
function computedIn(expansion: string): readonly string[] {
  const subscripts = [...expansion.matchAll(/\[(?![@*]\])([^\]]*)\]/g)].map(
    ([, subscript]) => subscript ?? '',
  );
  const offset = /:(?![-=?+])(.*)/s.exec(expansion)?.[1];
  const indirect = /^!([A-Za-z0-9_]+)\}?$/.exec(expansion)?.[1];
  return [...subscripts, offset ?? '', indirect ?? ''];
}

function readName(cursor: Cursor, inDouble: boolean): boolean {
  PARAMETER.lastIndex = cursor.position + 1;
  const name = PARAMETER.exec(cursor.text)?.[0];
  if (name === undefined) {
    cursor.position += 1;
    return true;
  }
  cursor.position += 1 + name.length;
  const reference = referenceHere(cursor);
  if (reference !== undefined && inDouble) refuse(cursor, reference, 'after-variable');
  if (cursor.dialect === 'zsh' && peek(cursor) === '[') lose(cursor, '`$name[` is a subscript in zsh');
  return false;
}

/** `$(…)`, `<(…)`, `>(…)`; the opening has been read. Commands inside are read to find the end; no value may stand there. */
export function readSubstitution(cursor: Cursor): void {
  const { heredocs, position: start } = cursor;
  cursor.heredocs = [];
  cursor.depth += 1;
  forbidding(cursor, 'substitution', () => readList(cursor, 'parenthesis'));
  cursor.depth -= 1;
  if (cursor.heredocs.length > 0) lose(cursor, 'a heredoc begins inside a command substitution');
  cursor.heredocs = heredocs;
  const end = cursor.position;
  cursor.position = start;
  passText(cursor, end);
}

/** To the next backtick that no backslash precedes: quotes do not hold one back. */
export function readBackticks(cursor: Cursor): void {
  const { position: start } = cursor;
  cursor.position += 1;
  while (!atEnd(cursor)) {
    const reference = referenceHere(cursor);
    if (reference !== undefined) refuse(cursor, reference, 'substitution');
    const next = peek(cursor);
    if (next === '`') {
      const end = cursor.position + 1;
      cursor.position = start;
      passText(cursor, end);
      return;
    }
    const escaped = next === '\\' ? referenceHere(cursor, 1) : undefined;
    if (escaped !== undefined) refuse(cursor, escaped, 'substitution');
    cursor.position += next === '\\' ? 2 : 1;
  }
  lose(cursor, 'a backtick is not closed');
}

/** After `((`, to the parenthesis that closes both. Text that only some shells would take for arithmetic is not read. */
export function readArithmetic(cursor: Cursor): void {
  const start = cursor.position;
  readToClose(cursor);
  cursor.computed.push(cursor.text.slice(start, cursor.position));
}

function readToClose(cursor: Cursor): void {
  forbidding(cursor, 'arithmetic', () => {
    let open = 2;
    while (!atEnd(cursor)) {
      const next = peek(cursor);
      const reference = referenceHere(cursor);
      if (reference !== undefined) {
        refuse(cursor, reference, 'arithmetic');
        cursor.position += 1;
      } else if ('\'"`\\'.includes(next)) {
        return lose(cursor, 'quotes stand inside arithmetic');
      } else if (next === '#' && /[\s(;|&]/.test(peek(cursor, -1))) {
        return lose(cursor, 'a comment may begin inside arithmetic');
      } else if (/\bcase\s/y.test(cursor.text.slice(cursor.position, cursor.position + 5))) {
        return lose(cursor, '`case` stands inside arithmetic');
      } else if (cursor.text.startsWith('<<', cursor.position) && !/[\s\d$(]/.test(peek(cursor, 2))) {
        return lose(cursor, 'a heredoc may begin inside arithmetic');
      } else if (next === '$') readDollar(cursor, true);
      else {
        if (next === '(') open += 1;
        if (next === ')') open -= 1;
        passText(cursor, cursor.position + 1);
        if (open === 0) return;
      }
    }
    lose(cursor, 'arithmetic is not closed');
  });
}

/** After `${`, to its `}`. Inside double quotes shells disagree on what quotes mean here. */
function readParameter(cursor: Cursor, inDouble: boolean): void {
  if (/[\s|(]/.test(peek(cursor))) {
    lose(cursor, '`${` begins a command or flags in some shells');
    return;
  }
  while (!atEnd(cursor)) {
    const next = peek(cursor);
    const reference = referenceHere(cursor);
    if (reference !== undefined) {
      refuse(cursor, reference, 'expansion');
      cursor.position += 1;
    } else if (next === '}') {
      cursor.position += 1;
      return;
    } else if (next === '{' || (inDouble && '\'"\\'.includes(next))) {
      lose(cursor, 'quotes or braces stand inside a parameter expansion');
      return;
    } else if (next === "'") readQuotedInExpansion(cursor);
    else if (next === '"') {
      cursor.position += 1;
      readDouble(cursor, undefined);
    } else if (next === '\\') {
      if (referenceHere(cursor, 1) !== undefined) {
        lose(cursor, 'a backslash stands before a value');
        return;
      }
      passText(cursor, cursor.position + 2);
    } else if (next === '$') readDollar(cursor, inDouble);
    else if (next === '`') readBackticks(cursor);
    else passText(cursor, cursor.position + 1);
  }
  lose(cursor, '`${` is not closed');
}

function readQuotedInExpansion(cursor: Cursor): void {
  const close = cursor.text.indexOf("'", cursor.position + 1);
  if (close === -1) {
    lose(cursor, 'a single quote is not closed');
    return;
  }
  for (let at = cursor.position; at < close; at += 1) {
    const reference = cursor.referenceAt.get(at);
    if (reference !== undefined) refuse(cursor, reference, 'expansion');
  }
  passText(cursor, close + 1);
}

/** `$'…'`, where a backslash holds back a quote; a shell without it sees `$` and single quotes. */
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
      lose(cursor, "`$'…'` is not known to every shell of that name");
      return;
    }
    cursor.position += next === '\\' ? 2 : 1;
  }
  lose(cursor, "`$'` is not closed");
}
