import type { CommandShape } from './command-shape.ts';
import { type Cursor, lose, refuse, type ScriptWord, type SimpleCommand } from './cursor.ts';
import { joinFlows, type SinkType } from './flow/flow.ts';
import { addSink, fill } from './flow/gather.ts';
import { anything, parametersOf } from './judge-command.ts';
import { fillNamed, nameSetBy, noteSteering } from './note-assignments.ts';
import { steersExecution } from './programs/steering-variables.ts';
import { readCode } from './read-code.ts';
import { subscriptOf } from './read-compound.ts';
import type { Refusal } from './refusal.ts';

/** Builtins that evaluate their arguments, take names with subscripts, or do arithmetic with them in some shell. */
const EVALUATING = new Set([
  ...['let', 'unset', 'read', 'mapfile', 'readarray', 'getopts', 'wait', 'enable', 'hash', 'shopt', 'bind'],
  ...['complete', 'compgen', 'compopt', 'fc', 'history', 'jobs', 'fg', 'bg', 'exit', 'return', 'break'],
  ...['continue', 'shift', 'ulimit', 'umask', 'print', 'vared', 'zparseopts', 'zmodload', 'autoload'],
  ...['functions', 'zle', 'zstyle', 'integer', 'float', 'nameref', 'whence', 'disown', 'suspend', 'caller'],
  ...['dirs', 'popd', 'logout', 'sched', 'zformat', 'setopt', 'unsetopt', 'limit', 'bindkey', 'compadd', '-'],
]);
const COUNTING = new Set(['exit', 'return', 'break', 'continue', 'shift', 'umask', 'ulimit']);
const DECLARING = new Set(['declare', 'typeset', 'local', 'readonly', 'export', 'integer', 'float']);
const UNARY_TEST = /^-[a-hknoprstuwxzGLNOS]$/;
const STRING_TEST = /^(?:=|==|!=|<|>|-nt|-ot|-ef)$/;
const NUMBER_TEST = /^-(?:eq|ne|lt|le|gt|ge)$/;
const TEXT_FORMAT = /^(?:[^%]|%%|%[-0-9.]*[sbq])*$/;
const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;

interface Builtin {
  readonly name: string;
  /** The words after its name. */
  readonly words: readonly ScriptWord[];
  readonly cursor: Cursor;
}

/** Notes what a shell builtin does with its words. */
export function judgeBuiltin(command: SimpleCommand, shape: CommandShape, cursor: Cursor): void {
  const name = shape.program ?? '';
  const builtin: Builtin = { name, words: command.words.slice(shape.programAt + 1), cursor };
  if (EVALUATING.has(name)) judgeEvaluating(builtin);
  if (DECLARING.has(name)) judgeDeclaration(builtin);
  if ([...command.assignments, ...builtin.words].some((word) => word.isArray)) cursor.uses.makesArrays = true;
  cursor.uses.assigned.push(...command.assignments);
  switch (name) {
    case 'test':
    case '[':
      judgeTest(builtin);
      break;
    case 'printf':
      judgeFormat(builtin);
      break;
    case 'set':
      judgeSet(builtin);
      break;
    case 'eval':
      readCode(cursor, builtin.words);
      break;
    case 'trap':
      readCode(cursor, builtin.words.filter(({ literal }) => !/^-/.test(literal ?? '')).slice(0, 1));
      break;
    case 'alias':
    case 'setopt':
    case 'unsetopt':
    case 'emulate':
      lose(cursor, `\`${name}\` changes the meaning of later words`);
      break;
    case 'cd':
    case 'pushd':
      for (const variable of ['PWD', 'OLDPWD', 'DIRSTACK'])
        fill(cursor, variable, parametersOf(builtin.words));
      break;
    case 'find':
      if (cursor.lists) for (const word of builtin.words) refuseWord(builtin, word, 'steering');
      break;
    default:
      break;
  }
}

/** Rejects values in the word, whether written there or expanded. */
function refuseWord({ cursor }: Builtin, word: ScriptWord, refusal: Refusal, type: SinkType = 'run'): void {
  for (const reference of word.references) refuse(cursor, reference, refusal);
  addSink(cursor, word.flow, { type, refusal });
}

/** A word that names a variable: `a[i]` evaluates `i`. */
function refuseName(builtin: Builtin, word: ScriptWord, refusal: Refusal): void {
  const { literal, flow } = word;
  refuseWord(builtin, word, refusal);
  const text = literal === undefined ? flow.text : subscriptOf(literal);
  addSink(builtin.cursor, { ...flow, text }, { type: 'computed', refusal: 'subscript' });
}

function judgeEvaluating(builtin: Builtin): void {
  const { name, words, cursor } = builtin;
  const countsOnly = COUNTING.has(name) && (cursor.dialect === 'bash' || cursor.dialect === 'posix');
  if (name === 'shift') cursor.uses.movesParameters = true;
  if (name === 'nameref') lose(cursor, 'a variable refers to another one');
  for (const word of words) {
    if (countsOnly) for (const reference of word.references) refuse(cursor, reference, 'evaluated');
    // Without `-p`, it takes numbers of processes and jobs.
    else if (name === 'wait' && !words.some(({ literal }) => /^-\w*p/.test(literal ?? '')))
      refuseWord(builtin, word, 'evaluated');
    else if (name === 'let' || COUNTING.has(name)) {
      refuseWord(builtin, word, 'evaluated');
      addSink(cursor, word.flow, { type: 'computed', refusal: 'arithmetic' });
    } else refuseName(builtin, word, 'evaluated');
  }
  if (
    /^(?:mapfile|readarray)$/.test(name) &&
    words.some(({ literal }) => /^-\w*[Cc]/.test(literal ?? '-C'))
  ) {
    lose(cursor, `\`${name}\` runs a command on its input`);
  }
  if (/^(?:read|mapfile|readarray|getopts|wait)$/.test(name)) fillFromInput(builtin);
}

/** The input may be any value of the script. */
function fillFromInput({ name, words, cursor }: Builtin): void {
  if (name !== 'getopts' && name !== 'wait') cursor.uses.makesArrays = true;
  const names = words.map(({ literal }) => /^[A-Za-z_][A-Za-z0-9_]*/.exec(literal ?? '')?.[0] ?? '');
  for (const variable of names.filter((one) => NAME.test(one))) fillNamed(cursor, variable, anything(cursor));
  for (const variable of ['REPLY', 'MAPFILE', 'OPTARG']) fill(cursor, variable, anything(cursor));
}

/** `declare NAME=value` with flags that keep the value as text. */
function judgeDeclaration(builtin: Builtin): void {
  const { name: program, words, cursor } = builtin;
  const flags = words.filter((word) => /^[-+]/.test(word.literal ?? word.prefix));
  const onlyText = flags.every((word) => /^-[rxgp-]+$/.test(word.literal ?? ''));
  const has = (letter: RegExp): boolean => flags.some((flag) => letter.test(flag.literal ?? 'inaA'));
  if (has(/n/)) lose(cursor, 'a variable refers to another one');
  cursor.uses.makesKeys ||= has(/A/);
  cursor.uses.makesArrays ||= has(/[aA]/);
  cursor.uses.makesIntegers ||= program === 'integer' || program === 'float' || has(/i/);
  for (const word of words) {
    const name = nameSetBy(word);
    const isText = onlyText || word.isArray;
    if (name === undefined || word.prefix.startsWith(`${name}[`)) refuseName(builtin, word, 'name');
    else if (steersExecution(name)) {
      for (const reference of word.references) refuse(cursor, reference, 'steering-variable');
      noteSteering(word, name, cursor);
    } else if (!isText || has(/[inA]/)) refuseWord(builtin, word, 'integer');
    else if (word.splits && cursor.dialect === 'posix') refuseWord(builtin, word, 'name');
    if (name === undefined && word.literal === undefined) cursor.uses.makesIntegers = true;
  }
  cursor.uses.assigned.push(...words);
  if (!/^(?:export|readonly)$/.test(program)) cursor.uses.declared.push(...words);
}

/** Accepts only forms in which no value can be read as an operator. */
function judgeTest(builtin: Builtin): void {
  const { name, cursor } = builtin;
  const words = name === '[' ? builtin.words.slice(0, -1) : builtin.words;
  const texts = words.map((word) => word.literal);
  const [first, ...others] = texts[0] === '!' && words.length > 1 ? texts.slice(1) : texts;
  const count = others.length + 1;
  const numbersAreText = cursor.dialect === 'bash' || cursor.dialect === 'posix';
  const operator = others[0] ?? '';
  const decided =
    count === 1 ||
    (count === 2 && UNARY_TEST.test(first ?? '')) ||
    (count === 3 && (STRING_TEST.test(operator) || (numbersAreText && NUMBER_TEST.test(operator))));
  words.forEach((word, at) => {
    if (texts[at - 1] === '-v' || texts[at - 1] === '-R') refuseName(builtin, word, 'test-operator');
    if (!decided || cursor.lists) {
      for (const reference of word.references) refuse(cursor, reference, 'test-operator');
    }
    if (!decided || word.splits) addSink(cursor, word.flow, { type: 'run', refusal: 'test-operator' });
  });
}

/** `printf -v NAME` evaluates a subscript; ksh and zsh evaluate numbers. */
function judgeFormat(builtin: Builtin): void {
  const { cursor } = builtin;
  const [option, variable] = builtin.words;
  const setsVariable = option?.literal === '-v' && variable?.literal !== undefined;
  if (setsVariable) {
    refuseName(builtin, variable, 'format');
    const flow = joinFlows(builtin.words.map((word) => word.flow));
    fillNamed(cursor, variable.literal.replace(/\[[\s\S]*/, ''), flow);
  }
  const words = setsVariable ? builtin.words.slice(2) : builtin.words;
  const format = words[0]?.literal === '--' ? words[1] : words[0];
  const startsAsOption =
    words[0]?.literal !== '--' && (format?.prefix === '' || format?.prefix.startsWith('-') || format?.splits);
  const computes = cursor.dialect === 'zsh' || cursor.dialect === 'korn';
  const onlyText = TEXT_FORMAT.test(format?.literal ?? '%d');
  const isOption = startsAsOption && format?.literal !== '';
  if (isOption || (computes && !onlyText)) for (const word of words) refuseWord(builtin, word, 'format');
}

function judgeSet(builtin: Builtin): void {
  const { words, cursor } = builtin;
  const end = words.findIndex((word) => word.literal === '--');
  words.forEach((word, index) => {
    if (end === -1 || index < end) refuseWord(builtin, word, 'evaluated');
  });
  const flags = end === -1 ? words : words.slice(0, end);
  if (flags.some(({ literal }) => /^-\w*[kA]/.test(literal ?? '')))
    lose(cursor, '`set` changes how words are read');
  if (end !== -1 || words.some(({ literal }) => !/^(?:[-+][A-Za-z]+|[a-z]+)$/.test(literal ?? ''))) {
    cursor.uses.movesParameters = true;
  }
  const given = end === -1 ? words.filter(({ prefix }) => !/^[-+]/.test(prefix)) : words.slice(end + 1);
  fill(cursor, '@', parametersOf(given));
}
