/**
 * Recognises a check that a value is a number: `case $1 in ''|*[!0-9]*) exit 2 ;; esac`, or `[[ $1 =~ ^[0-9]+$ ]] || exit 2` in bash. It
 * counts only at the top of a script, after simple commands, where it always runs.
 */
import { type Cursor, offsetOf } from '../cursor.ts';

const NAME = String.raw`"?\$\{?([1-9]|[A-Za-z_][A-Za-z0-9_]*)\}?"?`;
const NOT_A_NUMBER = String.raw`(?:''|"")[ \t]*\|[ \t]*\*\[!0-9\]\*|\*\[!0-9\]\*[ \t]*\|[ \t]*(?:''|"")`;
const SAYS = String.raw`(?:(?:echo|printf)(?:[^;&|<>()${'`'}$\n\\'"]|'[^'\n]*'|"[^"$${'`'}\\\n]*")*(?:>&2)?[ \t]*;[ \t\n]*)?`;
const LEAVES = String.raw`${SAYS}exit(?:[ \t]+[0-9]+)?`;
const ENDS = String.raw`(?=[ \t]*(?:[;\n]|$))`;

const BY_CASE = new RegExp(
  String.raw`case[ \t]+${NAME}[ \t]+in[ \t\n]+\(?[ \t]*(?:${NOT_A_NUMBER})[ \t]*\)[ \t\n]*${LEAVES}[ \t\n]*(?:;;)?[ \t\n]*esac${ENDS}`,
  'y',
);
const BY_CONDITION = new RegExp(
  String.raw`\[\[[ \t]+${NAME}[ \t]+=~[ \t]+\^\[0-9\]\+\$[ \t]+\]\][ \t]*\|\|[ \t\n]*(?:exit(?:[ \t]+[0-9]+)?|\{[ \t\n]+${LEAVES}[ \t]*;?[ \t\n]*\})${ENDS}`,
  'y',
);

/** How they begin: V8 compiles a pattern when it is first used, which takes longer than reading a short script. */
const CASE = { start: 'case', whole: BY_CASE };
const CONDITION = { start: '[[', whole: BY_CONDITION };

/** Called at the start of a command. */
export function noteCheck(cursor: Cursor): void {
  const { uses, text, position } = cursor;
  if (!uses.isStraight || cursor.base !== undefined || cursor.nesting > 0 || position < uses.checkEnd) return;
  for (const { start, whole } of cursor.dialect === 'bash' ? [CASE, CONDITION] : [CASE]) {
    if (!text.startsWith(start, position)) continue;
    whole.lastIndex = position;
    const name = whole.exec(text)?.[1];
    if (name === undefined) continue;
    uses.checkEnd = whole.lastIndex;
    if (!uses.checked.has(name)) uses.checked.set(name, uses.checkEnd);
  }
}

/** Later commands may not run, or not in this shell. */
export function notStraight(cursor: Cursor): void {
  if (cursor.base !== undefined || offsetOf(cursor) >= cursor.uses.checkEnd) cursor.uses.isStraight = false;
}
