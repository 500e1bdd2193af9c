import {
  atEnd,
  type Cursor,
  forbidding,
  holdsNoValue,
  lose,
  passText,
  peek,
  referenceHere,
  refuse,
} from './cursor.ts';
import { type Flow, PUT_IN } from './flow/flow.ts';
import { addSink, expand, expandParameter, fill, gathering } from './flow/gather.ts';
import { ANY_VARIABLE, ARRAY_KEYS } from './flow/judge-flow.ts';
import { type DollarPart, readBackticks, readDollar } from './read-expansion.ts';
import { readDouble } from './read-word.ts';

const PARTS = /^([!#]?)([A-Za-z_][A-Za-z0-9_]*|[0-9]+|[@*#?$!-])?(\[[^\]]*\])?([\s\S]*)$/;
const ALL_ELEMENTS = /^\[[@*]\]$/;
/** `${v//[!0-9]/}` leaves only digits. */
const KEEPS_DIGITS = /^\/\/\[[!^]0-9\]\/?$/;
/** `${v:-0}`. */
const DEFAULT_NUMBER = /^:?[-=]-?[0-9]+$/;
/** An unclosed expansion ends with the text, so that no text is searched twice. */
const ANY_EXPANSION =
  /\$\{[^}]*(?:\}|$)|\$\([^)]*(?:\)\)?|$)|`[^`]*(?:`|$)|\$[A-Za-z_][A-Za-z0-9_]*|\$[0-9@*#?$!-]/g;

/** Parses `${…}` after its opening. */
export function readBraces(cursor: Cursor, inDouble: boolean): DollarPart {
  const start = cursor.position;
  const inside = gathering(cursor, () =>
    forbidding(cursor, 'expansion', () => readParameter(cursor, inDouble)),
  );
  return noteParameter(cursor, { start, end: cursor.position - 1 }, inside);
}

/** `${a[i]}`, `${a:i}` and `${!a}` evaluate the value of `i` or of the variable named by `a`; `${a:-b}` and `${a[@]}` do not. */
function noteParameter(
  cursor: Cursor,
  { start: from, end }: { readonly start: number; readonly end: number },
  inside: Flow,
): DollarPart {
  const written = cursor.text.slice(from, end);
  const [, before = '', name = '', subscript = '', rest = ''] = PARTS.exec(written) ?? [];
  if (subscript !== '' && !ALL_ELEMENTS.test(subscript)) compute(cursor, subscript, inside);
  if (before === '#' && rest === '') return 'number';
  if (before === '!') {
    const areKeys = ALL_ELEMENTS.test(subscript) && rest === '';
    if (!areKeys) compute(cursor, `${name} ${rest}`, inside);
    expand(cursor, areKeys ? ARRAY_KEYS : ANY_VARIABLE, { isWhole: areKeys, from });
    return 'text';
  }
  if (KEEPS_DIGITS.test(rest) && (cursor.dialect === 'bash' || cursor.dialect === 'zsh')) return 'number';
  if (/^:(?![-=?+])/.test(rest)) compute(cursor, rest, inside);
  if (/^:?=/.test(rest)) fill(cursor, name, { ...inside, text: marked(rest.replace(/^:?=/, '')) });
  if (name === '') lose(cursor, `\`\${${written}}\` is not supported by every shell`);
  const isWhole = DEFAULT_NUMBER.test(rest) || (rest === '' && subscript === '');
  const part = expandParameter(cursor, name, { isWhole, from });
  if (rest.startsWith('@P')) addSink(cursor, gathered(cursor), { type: 'run', refusal: 'evaluated' });
  if (rest === '' || DEFAULT_NUMBER.test(rest)) return part;
  cursor.expansions.push(...inside.expansions);
  cursor.reads ||= inside.reads;
  return 'text';
}

function gathered({ expansions, reads }: Cursor): Flow {
  return { references: [], expansions: [...expansions], reads, text: PUT_IN };
}

function compute(cursor: Cursor, written: string, inside: Flow): void {
  addSink(cursor, { ...inside, text: marked(written) }, { type: 'computed', refusal: 'subscript' });
}

function marked(written: string): string {
  return written.replace(ANY_EXPANSION, PUT_IN);
}

/** In a text without values, shells differ only on quotes that hide a brace. */
function isReadAlike(cursor: Cursor, next: string): boolean {
  if (!holdsNoValue(cursor)) return false;
  if (next !== "'") return true;
  const close = cursor.text.indexOf("'", cursor.position + 1);
  return close === -1 || !/[}"\\`]/.test(cursor.text.slice(cursor.position + 1, close));
}

/** Parses after `${`, up to its `}`. Shells disagree on the meaning of quotes here inside double quotes. */
function readParameter(cursor: Cursor, inDouble: boolean): void {
  if (/[\s|(]/.test(peek(cursor))) {
    lose(cursor, '`${` starts a command or flags in some shells');
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
      if (!isReadAlike(cursor, next)) {
        lose(cursor, 'quotes or braces are inside a parameter expansion');
        return;
      }
      if (next === '"') {
        cursor.position += 1;
        readDouble(cursor, undefined);
      } else passText(cursor, cursor.position + (next === '\\' ? 2 : 1));
    } else if (next === "'") readQuotedInExpansion(cursor);
    else if (next === '"') {
      cursor.position += 1;
      readDouble(cursor, undefined);
    } else if (next === '\\') {
      if (referenceHere(cursor, 1) !== undefined) {
        lose(cursor, 'a backslash is before a value');
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
