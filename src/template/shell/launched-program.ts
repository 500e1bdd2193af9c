import {
  type CommandShape,
  type CommandWord,
  commandShape,
  fillRoles,
  startsUnknown,
  wordAt,
} from './command-shape.ts';
import { type ReadOption, readOption } from './options.ts';
import type { Launcher } from './programs/launchers.ts';
import { isProperty } from './programs/properties.ts';
import { steersExecution } from './programs/steering-variables.ts';

/** Returns the index of the launched program, or `undefined` if there is none, its words are judged, or a value decides it. */
export function launchedProgram(shape: CommandShape, launcher: Launcher, from: number): number | undefined {
  if (launcher.isSeparated === true) return afterDashes(shape, launcher, from);
  let at = from;
  let hasEnded = false;
  let entry: Entry | undefined;
  for (; at < shape.words.length && !hasEnded; at += 1) {
    const word = wordAt(shape, at);
    const text = word.literal ?? word.prefix;
    if (startsUnknown(word)) return lose(shape, at);
    const assigned = launcher.assignments ? /^([^-=][^=]*)=/.exec(text)?.[1] : undefined;
    if (assigned !== undefined) {
      setsVariable(shape, assigned, at);
      continue;
    }
    if (!text.startsWith('-')) break;
    if (word.literal === '--') {
      hasEnded = true;
      continue;
    }
    if (namesProgram(shape, launcher, at)) {
      if (launcher.programWords?.includes(text)) at += 1;
      continue;
    }
    if (isProperty(launcher.properties, text)) continue;
    const option = launcherOption(launcher, text, word.literal === undefined);
    if (option.type === 'nested') return shellText(shape, option, at);
    if (option.type === 'code' || (word.literal === undefined && option.type === 'flag'))
      return lose(shape, at);
    if (option.type === 'flag') {
      if (!isFlag(launcher, option.name, text)) return lose(shape, at + 1);
      continue;
    }
    const value = option.attached ? at : at + 1;
    if (!option.attached && wordAt(shape, value).splits) return lose(shape, value);
    if (option.name === launcher.entry) entry = { at: value, word: optionValue(shape, option, at) };
    if (launcher.environment?.includes(option.name)) {
      const name = /^([^=]*)=/.exec(optionValue(shape, option, at).prefix)?.[1];
      if (name !== undefined || wordAt(shape, value).literal === undefined)
        setsVariable(shape, name ?? '', value);
    }
    if (launcher.longPairs?.includes(option.name)) {
      at += 1;
      if (option.name === 'setenv') fillVariable(shape, at);
    }
    if (!option.attached) at += 1;
  }
  for (let operand = 0; operand < (launcher.operands ?? 0); operand += 1) {
    const isUnknown = startsUnknown(wordAt(shape, at));
    if (launcher.choosesByOperand === true && at < shape.roles.length) shape.roles[at] = 'program';
    else if (isUnknown && !(hasEnded && wordAt(shape, at).splits !== true)) return lose(shape, at);
    at += 1;
  }
  if (entry !== undefined) return throughEntry(shape, entry, at);
  const text = wordAt(shape, at).literal;
  if (hasEnded || !text?.startsWith('-')) return at;
  // `flock FILE -c SCRIPT`: an option where the program should be.
  const option = launcherOption(launcher, text, false);
  return option.type === 'nested' ? shellText(shape, option, at) : lose(shape, at);
}

/** The program that `--entrypoint` names, with the words after the image as its arguments. */
interface Entry {
  readonly at: number;
  readonly word: CommandWord;
}

function throughEntry(shape: CommandShape, { at, word }: Entry, from: number): undefined {
  const inner = commandShape([word, ...shape.words.slice(from)]);
  shape.roles[at] = 'program';
  inner.roles.slice(1).forEach((role, index) => {
    shape.roles[from + index] = role;
  });
  shape.shell ??= inner.shell;
  shape.readsInput ||= inner.readsInput;
  shape.environment.push(...inner.environment.map((index) => index + from - 1));
}

/** `kubectl exec POD -c NAME -- PROGRAM …`: options and operands in any order before the dashes. */
function afterDashes(shape: CommandShape, launcher: Launcher, from: number): number | undefined {
  const dashes = shape.words.findIndex(({ literal }, at) => at >= from && literal === '--');
  const end = dashes === -1 ? shape.words.length : dashes;
  for (let at = from; at < end; at += 1) {
    const word = wordAt(shape, at);
    const text = word.literal ?? word.prefix;
    if (startsUnknown(word)) {
      if (dashes === -1 || word.splits === true) return lose(shape, at);
      shape.roles[at] = 'option';
      continue;
    }
    if (!text.startsWith('-')) {
      // Without dashes, it may be the program.
      if (dashes === -1 && word.literal === undefined && at > from) return lose(shape, at);
      continue;
    }
    if (namesProgram(shape, launcher, at)) {
      if (launcher.programWords?.includes(text)) at += 1;
      continue;
    }
    const option = launcherOption(launcher, text, word.literal === undefined);
    const value = option.attached ? at : at + 1;
    if (option.type === 'flag') {
      if (word.literal === undefined) return lose(shape, at);
      continue;
    }
    if (option.type !== 'value' && value < end) shape.roles[value] = 'code';
    if (launcher.environment?.includes(option.name)) {
      const name = /^([^=]*)=/.exec(optionValue(shape, option, at).prefix)?.[1];
      if (name !== undefined) setsVariable(shape, name, value);
    }
    if (wordAt(shape, value).splits) return lose(shape, value);
    at = value;
  }
  if (dashes === -1) return undefined;
  if (launcher.joinsForShell !== true) return dashes + 1;
  fillRoles(shape, dashes + 1, 'nested');
  return undefined;
}

function setsVariable(shape: CommandShape, name: string, at: number): void {
  if (steersExecution(name) || !/^\w+$/.test(name)) shape.roles[at] = 'steering';
  shape.environment.push(at);
}

/** `--setenv NAME VALUE`: what the program does with it is not followed. */
function fillVariable(shape: CommandShape, at: number): void {
  for (const index of [at, at + 1]) if (index < shape.roles.length) shape.roles[index] = 'steering';
}

/** `-cp PATH`, `--image=NAME`: the value is what runs. */
function namesProgram(shape: CommandShape, { programWords = [] }: Launcher, at: number): boolean {
  const { literal, prefix } = wordAt(shape, at);
  const text = literal ?? prefix;
  if (programWords.includes(text)) {
    if (at + 1 < shape.roles.length) shape.roles[at + 1] = 'program';
    return true;
  }
  const isAttached = programWords.some((word) => text.startsWith(`${word}=`));
  if (isAttached) shape.roles[at] = 'program';
  return isAttached;
}

/** All letters of `-it`, or the name of a long option. */
function isFlag({ flags }: Launcher, name: string, text: string): boolean {
  if (flags === undefined || flags.includes(name)) return true;
  return !text.startsWith('--') && [...name].every((letter) => flags.includes(letter));
}

function optionValue(
  shape: CommandShape,
  { attached, name }: Omit<ReadOption, 'type'>,
  at: number,
): CommandWord {
  if (!attached) return wordAt(shape, at + 1);
  const { literal, prefix, suffix, ...rest } = wordAt(shape, at);
  const skip = (text: string): string =>
    text.startsWith('--') ? text.slice(text.indexOf('=') + 1) : text.slice(text.indexOf(name) + 1);
  return {
    ...rest,
    literal: literal === undefined ? undefined : skip(literal),
    prefix: skip(prefix),
    suffix,
  };
}

function launcherOption(
  launcher: Launcher,
  text: string,
  open: boolean,
): Omit<ReadOption, 'type'> & { readonly type: ReadOption['type'] | 'nested' } {
  const values = [
    ...(launcher.shortValues ?? ''),
    ...(launcher.longValues ?? []),
    ...(launcher.longPairs ?? []),
    ...(launcher.environment ?? []),
    ...(launcher.entry === undefined ? [] : [launcher.entry]),
  ];
  const shellText = launcher.shellText ?? [];
  const option = readOption(text, open, { values, code: [...(launcher.evaluates ?? []), ...shellText] });
  return option.type === 'code' && shellText.includes(option.name) ? { ...option, type: 'nested' } : option;
}

/** `npx -c SCRIPT`: what follows are its options, or parameters of the script. */
function shellText(shape: CommandShape, { attached }: Pick<ReadOption, 'attached'>, at: number): undefined {
  shape.roles[at] = attached ? 'nested' : 'steering';
  if (!attached && at + 1 < shape.roles.length) shape.roles[at + 1] = 'nested';
  fillRoles(shape, at + (attached ? 1 : 2), 'nested');
  shape.program = undefined;
}

function lose(shape: CommandShape, at: number): undefined {
  fillRoles(shape, at, 'steering');
  shape.program = undefined;
}
