/** `find -exec` and `xargs` add words that are not in the script to the command they run. */
import {
  type CommandShape,
  type CommandWord,
  commandShape,
  startsUnknown,
  takeRoles,
  wordAt,
} from './command-shape.ts';
import { launchedProgram } from './launched-program.ts';
import { LAUNCHERS } from './programs/launchers.ts';

const FIND_COMMAND = /^(?:-exec|-execdir|-ok|-okdir|-x|-X|--exec|--exec-batch)$/;
const ANY_WORDS: CommandWord = { literal: undefined, prefix: '', suffix: '', splits: true };

/** A word that starts with a value may be an action such as `-delete` or `-exec`; `find` does not accept `--` before its paths. */
export function findArguments(shape: CommandShape, from: number): void {
  for (let at = from; at < shape.words.length; at += 1) {
    const word = wordAt(shape, at);
    if (startsUnknown(word) && !takesTest(wordAt(shape, at - 1))) shape.roles[at] = 'option';
    if (!FIND_COMMAND.test(word.literal ?? '')) continue;
    const end = shape.words.findIndex(
      ({ literal }, index) => index > at && (literal === ';' || literal === '+'),
    );
    const stop = end === -1 ? shape.words.length : end;
    takeRoles(shape, shapeWithFiles(shape.words.slice(at + 1, stop)), at + 1);
    shape.putsIn = true;
    at = stop;
  }
}

/** `-name`, `-newer` and so on take the next word as their value. */
function takesTest({ literal }: CommandWord): boolean {
  return /^-(?:i?(?:name|path|wholename|regex|lname)|newer(?:[aBcm][aBcmt])?|samefile|user|group|perm|size|type|xtype|fstype|regextype|used|uid|gid|links|inum|context|[acm](?:time|min)|maxdepth|mindepth|e|extension|d|max-depth|t)$/.test(
    literal ?? '',
  );
}

/** `{}` is replaced by an unknown name. */
function shapeWithFiles(words: readonly CommandWord[]): CommandShape {
  const withFiles = words.map((word) =>
    word.literal?.includes('{}')
      ? { ...word, literal: undefined, prefix: word.literal.split('{}')[0] ?? '' }
      : word,
  );
  const shape = commandShape(withFiles);
  const isCode = shape.roles.some(
    (role, index) => words[index] !== withFiles[index] && role !== 'data' && role !== 'option',
  );
  shape.readsInput ||= isCode;
  return shape;
}

/** Input words are appended to the command or replace `{}`. */
export function xargsArguments(shape: CommandShape, from: number): void {
  const facts = LAUNCHERS.get('xargs') ?? {};
  const at = launchedProgram(shape, facts, from);
  shape.putsIn = true;
  if (at === undefined) {
    shape.readsInput = true;
    return;
  }
  const replaced = shape.words
    .slice(from, at)
    .find(({ literal }) => /^(?:-I|-i|-J|--replace)/.test(literal ?? ''));
  const mark = replaceMark(shape, from, at);
  const command = shape.words.slice(at);
  const words = command.map((word) =>
    replaced !== undefined && (mark === undefined || word.literal?.includes(mark))
      ? {
          ...word,
          literal: undefined,
          prefix: mark === undefined ? '' : (word.literal?.split(mark)[0] ?? ''),
        }
      : word,
  );
  const inner = commandShape(replaced === undefined ? [...words, ANY_WORDS] : words);
  const isCode = inner.roles.some(
    (role, index) => words[index] !== command[index] && (role !== 'data' || words[index] === undefined),
  );
  const roles = inner.roles.slice(0, words.length);
  takeRoles(shape, { ...inner, roles }, at);
  const appended = replaced === undefined ? inner.roles[words.length] : 'data';
  shape.readsInput ||= inner.readsInput || isCode || appended !== 'data' || inner.shell !== undefined;
  shape.program = inner.program;
  shape.programAt = at + inner.programAt;
}

function replaceMark(shape: CommandShape, from: number, to: number): string | undefined {
  for (let at = from; at < to; at += 1) {
    const text = wordAt(shape, at).literal ?? '';
    if (text === '-I' || text === '-J') return wordAt(shape, at + 1).literal;
    if (/^-[IJi]./.test(text)) return text.slice(2);
    if (/^--replace=/.test(text)) return text.slice('--replace='.length);
  }
  return '{}';
}
