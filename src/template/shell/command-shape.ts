import { interpreterArguments } from './interpreter-arguments.ts';
import { readOption } from './options.ts';
import { EVALUATORS, interpreterFor, LAUNCHERS, type Launcher, SHELLS, steersExecution } from './programs.ts';

/** A word of a command, as far as it is known before it runs. */
export interface CommandWord {
  /** The whole text, where all of it is known. */
  readonly literal: string | undefined;
  /** The known text it begins and ends with. */
  readonly prefix: string;
  readonly suffix: string;
}

/**
 * What a word is to the command it stands in. A value may stand in `data` only; a `script` is read further by
 * `analyse-script.ts`, which knows where in it a value may stand.
 */
export type WordRole =
  | 'data'
  /** Names the program, or the file of code, that is run. */
  | 'program'
  /** Text for a shell. */
  | 'script'
  /** Text for another interpreter. */
  | 'code'
  /** Decides which later word is the program or the code. */
  | 'steering'
  /** Data, unless its value begins with `-`: then it is an option, and this program has options that are code. */
  | 'option';

/** What is known of a command. Filled in by one pass over its words. */
export interface CommandShape {
  readonly words: readonly CommandWord[];
  readonly roles: WordRole[];
  /** The program that is run in the end, and where its name stands; `undefined` where a value decides it. */
  program: string | undefined;
  programAt: number;
  /** The shell that reads the word of role `script`. */
  shell: string | undefined;
  /** An interpreter runs what comes in on standard input. */
  readsInput: boolean;
}

const FIND_COMMAND = /^(?:-exec|-execdir|-ok|-okdir|-x|-X|--exec|--exec-batch)$/;

export function commandShape(words: readonly CommandWord[]): CommandShape {
  const shape: CommandShape = {
    words,
    roles: words.map(() => 'data'),
    program: undefined,
    programAt: 0,
    shell: undefined,
    readsInput: false,
  };
  let fromInput = false;
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
    const launcher = LAUNCHERS.get(name);
    fromInput ||= name === 'xargs' || name === 'gxargs';
    if (launcher === undefined) {
      programArguments(shape, name, at + 1);
      if (fromInput && runsCode(name)) shape.readsInput = true;
      break;
    }
    at = launchedProgram(shape, launcher, at + 1);
  }
  return shape;
}

export function wordAt(shape: CommandShape, at: number): CommandWord {
  return shape.words[at] ?? { literal: '', prefix: '', suffix: '' };
}

export function fillRoles(shape: CommandShape, from: number, role: WordRole): void {
  shape.roles.fill(role, Math.min(from, shape.roles.length));
}

/** Its value decides whether it is an option, an operand or a program. */
export function startsUnknown(word: CommandWord): boolean {
  return word.literal === undefined && word.prefix === '';
}

function runsCode(name: string): boolean {
  return SHELLS.has(name) || EVALUATORS.has(name) || interpreterFor(name) !== undefined;
}

function programArguments(shape: CommandShape, name: string, from: number): void {
  const interpreter = interpreterFor(name);
  if (SHELLS.has(name)) shellArguments(shape, name, from);
  else if (EVALUATORS.has(name)) fillRoles(shape, from, 'code');
  else if (interpreter !== undefined) interpreterArguments(shape, interpreter, from);
  else if (name === 'deno') denoArguments(shape, from);
  else if (/^(?:g?find|fd|fdfind)$/.test(name)) findArguments(shape, from);
  else if (name !== 'echo' && name !== 'printf') unknownArguments(shape, from);
}

/** Answers where the launched program stands, or `undefined` where there is none or a value decides it. */
function launchedProgram(shape: CommandShape, launcher: Launcher, from: number): number | undefined {
  const values = [...(launcher.shortValues ?? ''), ...(launcher.longValues ?? [])];
  const names = { values, code: launcher.evaluates ?? [] };
  let at = from;
  for (; at < shape.words.length; at += 1) {
    const word = wordAt(shape, at);
    const text = word.literal ?? word.prefix;
    if (startsUnknown(word)) return lose(shape, at);
    const assigned = launcher.assignments ? /^([A-Za-z_][A-Za-z0-9_]*)=/.exec(text)?.[1] : undefined;
    if (assigned !== undefined) {
      if (steersExecution(assigned)) shape.roles[at] = 'steering';
      continue;
    }
    if (!text.startsWith('-')) break;
    if (word.literal === '--') {
      at += 1;
      break;
    }
    const option = readOption(text, word.literal === undefined, names);
    if (option.type === 'code' || (word.literal === undefined && option.type === 'flag'))
      return lose(shape, at);
    if (option.type === 'value' && !option.attached) at += 1;
  }
  for (let operand = 0; operand < (launcher.operands ?? 0); operand += 1) {
    if (startsUnknown(wordAt(shape, at))) return lose(shape, at);
    at += 1;
  }
  // `flock FILE -c SCRIPT`: an option where the program should be.
  return wordAt(shape, at).literal?.startsWith('-') ? lose(shape, at) : at;
}

function lose(shape: CommandShape, at: number): undefined {
  fillRoles(shape, at, 'steering');
  shape.program = undefined;
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

function findArguments(shape: CommandShape, from: number): void {
  for (let at = from; at < shape.words.length; at += 1) {
    if (!FIND_COMMAND.test(wordAt(shape, at).literal ?? '')) continue;
    const end = shape.words.findIndex(
      ({ literal }, index) => index > at && (literal === ';' || literal === '+'),
    );
    const stop = end === -1 ? shape.words.length : end;
    takeRoles(shape, commandShape(shape.words.slice(at + 1, stop)), at + 1);
    at = stop;
  }
}

/** A program not known here may still hand on `bash -c …`, as `docker exec` does. */
function unknownArguments(shape: CommandShape, from: number): void {
  for (let at = from; at + 1 < shape.words.length; at += 1) {
    const { literal } = wordAt(shape, at);
    const name = literal === undefined ? undefined : programName(wordAt(shape, at));
    if (name === undefined || !(SHELLS.has(name) || interpreterFor(name) !== undefined)) continue;
    if (!/^[-+]/.test(wordAt(shape, at + 1).literal ?? '')) continue;
    const inner = commandShape(shape.words.slice(at));
    if (!inner.roles.includes('script') && !inner.roles.includes('code')) continue;
    takeRoles(shape, inner, at);
    shape.shell = inner.shell;
    return;
  }
}

function takeRoles(shape: CommandShape, inner: CommandShape, from: number): void {
  inner.roles.forEach((role, index) => {
    shape.roles[from + index] = role;
  });
  shape.shell ??= inner.shell;
}

/** The last segment of the path, where that much is known. */
function programName(word: CommandWord): string | undefined {
  const known = word.literal ?? word.suffix;
  const slash = known.lastIndexOf('/');
  return word.literal === undefined && slash === -1 ? undefined : known.slice(slash + 1);
}
