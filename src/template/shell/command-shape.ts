import { interpreterArguments } from './interpreter-arguments.ts';
import { launchedProgram } from './launched-program.ts';
import { readOption } from './options.ts';
import { EVALUATORS, JOIN_FOR_SHELL, readsCode } from './programs/evaluators.ts';
import { interpreterFor } from './programs/interpreters.ts';
import { LAUNCHERS, type Launcher } from './programs/launchers.ts';
import { RUNNERS } from './programs/runners.ts';
import { settingsOf } from './programs/settings.ts';
import { SHELLS } from './programs/shells.ts';
import { START_ELSEWHERE, SUBCOMMANDS, type Subcommands } from './programs/subcommands.ts';
import { gitArguments, runnerArguments } from './runner-arguments.ts';
import { settingArguments } from './setting-arguments.ts';
import { unlistedArguments } from './unlisted-arguments.ts';
import { findArguments, xargsArguments } from './words-from-input.ts';

/** A word of a command, as far as it is known before the command runs. */
export interface CommandWord {
  /** The complete text, if all of it is known. */
  readonly literal: string | undefined;
  /** The known text at its start and end. */
  readonly prefix: string;
  readonly suffix: string;
  /** May become several words, or none. */
  readonly splits?: boolean;
}

/**
 * The role of a word in its command. Values are allowed only in `data`; a `script` is analysed by `analyse-script.ts`, which decides
 * where in it values are allowed.
 */
export type WordRole =
  | 'data'
  /** The name of the program or code file to run. */
  | 'program'
  /** Text for a shell. */
  | 'script'
  /** Text that the program passes to a shell; values are not allowed in it. */
  | 'nested'
  /** Text for another interpreter. */
  | 'code'
  /** Decides which later word is the program or the code. */
  | 'steering'
  /** Data, unless the value starts with `-`: then it is an option, and the program has options that run code. */
  | 'option';

/** The known facts about a command, collected in one pass over its words. */
export interface CommandShape {
  readonly words: readonly CommandWord[];
  readonly roles: WordRole[];
  /** The program that finally runs, and the index of its name; `undefined` if a value decides it. */
  program: string | undefined;
  programAt: number;
  /** The shell that reads the word of role `script`. */
  shell: string | undefined;
  /** The words that set the program's environment: `A=b` of `env`. */
  readonly environment: number[];
  /** An interpreter runs its standard input. */
  readsInput: boolean;
  /** File names or input lines replace some words or are appended: `find -exec`, `xargs`. */
  putsIn: boolean;
}

export function commandShape(words: readonly CommandWord[]): CommandShape {
  const shape: CommandShape = {
    words,
    roles: words.map(() => 'data'),
    program: undefined,
    programAt: 0,
    shell: undefined,
    environment: [],
    readsInput: false,
    putsIn: false,
  };
  let at: number | undefined = 0;
  while (at !== undefined && at < words.length) {
    const name = programName(wordAt(shape, at));
    shape.roles[at] = 'program';
    shape.program = name;
    shape.programAt = at;
    if (name === undefined) {
      fillRoles(shape, at + 1, 'steering');
      break;
    }
    if (name === 'xargs' || name === 'gxargs') {
      xargsArguments(shape, at + 1);
      break;
    }
    const launcher = launcherAt(shape, name, at);
    if (launcher === 'unknown') {
      shape.program = undefined;
      break;
    }
    if (launcher === undefined) {
      programArguments(shape, name, at + 1);
      break;
    }
    at = launchedProgram(shape, launcher.facts, launcher.from);
  }
  return shape;
}

/** Unknown: a value decides which one. */
type FoundLauncher = { readonly facts: Launcher; readonly from: number } | 'unknown' | undefined;

function launcherAt(shape: CommandShape, name: string, at: number): FoundLauncher {
  const facts = LAUNCHERS.get(name);
  if (facts !== undefined) return { facts, from: at + 1 };
  if (START_ELSEWHERE.has(name)) return { facts: { isSeparated: true }, from: at + 1 };
  const subcommands = SUBCOMMANDS.get(name);
  return subcommands === undefined ? undefined : subcommandAt(shape, subcommands, at + 1);
}

/** Skips options up to the subcommand: `docker --context x compose -f y exec`. A value there may be any subcommand. */
function subcommandAt(
  shape: CommandShape,
  { launchers, shortValues = '', longValues = [] }: Subcommands,
  from: number,
): FoundLauncher {
  let said = '';
  for (let at = from; at < shape.words.length; at += 1) {
    const word = wordAt(shape, at);
    const text = word.literal ?? word.prefix;
    if (startsUnknown(word)) {
      fillRoles(shape, at, 'steering');
      return 'unknown';
    }
    if (text.startsWith('-')) {
      const option = readOption(text, word.literal === undefined, {
        values: [...shortValues, ...longValues],
        code: [],
      });
      if (option.type === 'value' && !option.attached) at += 1;
      continue;
    }
    said = said === '' ? text : `${said} ${text}`;
    const facts = launchers[said];
    if (facts !== undefined) return { facts, from: at + 1 };
    if (!Object.keys(launchers).some((name) => name.startsWith(`${said} `))) return undefined;
  }
  return undefined;
}

export function wordAt(shape: CommandShape, at: number): CommandWord {
  return shape.words[at] ?? { literal: '', prefix: '', suffix: '' };
}

export function fillRoles(shape: CommandShape, from: number, role: WordRole): void {
  shape.roles.fill(role, Math.min(from, shape.roles.length));
}

/** A word whose value decides whether it is an option, an operand or a program. */
export function startsUnknown(word: CommandWord): boolean {
  return word.literal === undefined && (word.prefix === '' || word.splits === true);
}

function programArguments(shape: CommandShape, name: string, from: number): void {
  const interpreter = interpreterFor(name);
  const runner = RUNNERS.get(name);
  shape.readsInput ||= readsCode(
    name,
    shape.words.slice(from).map(({ literal }) => literal),
  );
  if (SHELLS.has(name)) shellArguments(shape, name, from);
  else if (JOIN_FOR_SHELL.has(name)) fillRoles(shape, from, 'nested');
  else if (EVALUATORS.has(name)) fillRoles(shape, from, 'code');
  else if (interpreter !== undefined) interpreterArguments(shape, interpreter, from);
  else if (runner !== undefined) runnerArguments(shape, runner, from);
  else if (name === 'git') gitArguments(shape, from);
  else if (name === 'deno') denoArguments(shape, from);
  else if (/^(?:g?find|fd|fdfind)$/.test(name)) findArguments(shape, from);
  else if (name !== 'echo' && name !== 'printf') unlistedArguments(shape, from);
  const settings = settingsOf(name);
  if (settings !== undefined) settingArguments(shape, settings, from);
}

function shellArguments(shape: CommandShape, name: string, from: number): void {
  let hasScript = false;
  let fromInput = false;
  let ended = false;
  let at = from;
  for (; at < shape.words.length && !ended; at += 1) {
    const text = wordAt(shape, at).literal;
    if (text === undefined || !/^[-+]/.test(text)) break;
    shape.roles[at] = 'steering';
    ended = text === '--' || text === '-';
    if (/^-[A-Za-z]/.test(text)) {
      hasScript ||= text.includes('c');
      fromInput ||= text.includes('s');
    }
    const takesValue = text.startsWith('--') ? /^--(?:rcfile|init-file)$/.test(text) : /[oO]/.test(text);
    if (takesValue) {
      at += 1;
      if (at < shape.words.length) shape.roles[at] = 'steering';
    }
  }
  const operand = shape.words[at];
  if (operand === undefined) {
    shape.readsInput ||= !/^--(?:version|help)$/.test(wordAt(shape, from).literal ?? '');
  } else if (hasScript) {
    shape.roles[at] = 'script';
    shape.shell = name;
  } else if (fromInput) {
    shape.readsInput = true;
    if (!ended && startsUnknown(operand)) fillRoles(shape, at, 'steering');
  } else {
    shape.roles[at] = !ended && startsUnknown(operand) ? 'steering' : 'program';
    // Words that looked like its parameters may be its options.
    if (!ended && startsUnknown(operand)) fillRoles(shape, at, 'steering');
  }
}

function denoArguments(shape: CommandShape, from: number): void {
  const subcommand = wordAt(shape, from).literal;
  if (subcommand === 'run' || subcommand === 'test') {
    interpreterArguments(shape, { code: [], operand: 'file' }, from + 1);
  } else {
    fillRoles(shape, from, 'steering');
    fillRoles(shape, from + 1, 'code');
  }
}

export function takeRoles(shape: CommandShape, inner: CommandShape, from: number): void {
  inner.roles.forEach((role, index) => {
    shape.roles[from + index] = role;
  });
  shape.shell ??= inner.shell;
  shape.readsInput ||= inner.readsInput;
  shape.environment.push(...inner.environment.map((at) => at + from));
}

/** The last segment of the path, if it is known. */
export function programName(word: CommandWord): string | undefined {
  const known = word.literal ?? word.suffix;
  const slash = known.lastIndexOf('/');
  return word.literal === undefined && slash === -1 ? undefined : known.slice(slash + 1);
}
