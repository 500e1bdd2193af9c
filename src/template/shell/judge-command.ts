import { type CommandShape, commandShape, type WordRole } from './command-shape.ts';
import type { Dialect, ScriptWord, SimpleCommand } from './cursor.ts';
import { interpreterFor, steersExecution } from './programs.ts';
import type { Refusal } from './refusal.ts';

/** What a simple command says of the references in it, and of the script as a whole. */
export interface Judgement {
  readonly refusals: ReadonlyMap<number, Refusal>;
  /** Words that assign: evaluated where the variable is an integer or, if declared, an array. */
  readonly assigned: readonly ScriptWord[];
  readonly declared: readonly ScriptWord[];
  readonly makesIntegers: boolean;
  readonly makesArrays: boolean;
  readonly readsInput: boolean;
  /** Words that are run or evaluated after expansion, as written. */
  readonly evaluated: readonly string[];
  /** Words that may be several without changing what the others are. */
  readonly spreadable: readonly ScriptWord[];
}

export interface JudgeOptions {
  readonly dialect: Dialect;
  /** A bare reference may become several words. */
  readonly lists: boolean;
}

const BY_ROLE: Readonly<Record<Exclude<WordRole, 'data'>, Refusal>> = {
  program: 'command-name',
  script: 'nested-script',
  code: 'code',
  steering: 'steering',
  option: 'option',
};

/** Builtins that evaluate their arguments, take names with subscripts, or compute with them in some shell. */
const EVALUATING = new Set([
  ...['let', 'unset', 'read', 'mapfile', 'readarray', 'getopts', 'wait', 'enable', 'hash', 'shopt', 'bind'],
  ...['complete', 'compgen', 'compopt', 'fc', 'history', 'jobs', 'fg', 'bg', 'exit', 'return', 'break'],
  ...['continue', 'shift', 'ulimit', 'umask', 'print', 'vared', 'zparseopts', 'zmodload', 'autoload'],
  ...['functions', 'zle', 'zstyle', 'integer', 'float', 'nameref', 'whence', 'disown', 'suspend', 'caller'],
  ...['dirs', 'popd', 'logout', 'sched', 'zformat', 'setopt', 'unsetopt', 'limit', 'bindkey', 'compadd', '-'],
]);
const COUNTING = new Set(['exit', 'return', 'break', 'continue', 'shift', 'wait', 'umask', 'ulimit']);
const DECLARING = new Set(['declare', 'typeset', 'local', 'readonly', 'export', 'integer', 'float']);
const UNARY_TEST = /^-[a-hknoprstuwxzGLNOS]$/;
const STRING_TEST = /^(?:=|==|!=|<|>|-nt|-ot|-ef)$/;
const NUMBER_TEST = /^-(?:eq|ne|lt|le|gt|ge)$/;
const TEXT_FORMAT = /^(?:[^%]|%%|%[-0-9.]*[sbq])*$/;

export function judgeCommand(command: SimpleCommand, options: JudgeOptions): Judgement {
  const refusals = new Map<number, Refusal>();
  const refuseWord = (word: ScriptWord | undefined, refusal: Refusal): void => {
    for (const reference of word?.references ?? []) {
      if (!refusals.has(reference)) refusals.set(reference, refusal);
    }
  };
  for (const word of command.assignments) judgeAssignment(word, refusals);
  const shape = commandShape(command.words);
  shape.roles.forEach((role, index) => {
    if (role !== 'data') refuseWord(command.words[index], BY_ROLE[role]);
  });
  const name = shape.program ?? '';
  const rest = command.words.slice(shape.programAt + 1);
  const declares = DECLARING.has(name);
  if (EVALUATING.has(name)) for (const word of rest) refuseWord(word, 'evaluated');
  if (declares) judgeDeclaration(rest, refuseWord);
  if (name === 'test' || name === '[')
    judgeTest(name === '[' ? rest.slice(0, -1) : rest, options, refuseWord);
  if (name === 'printf') judgeFormat(rest, options, refuseWord);
  if (name === 'set') judgeSet(rest, refuseWord);
  if (name === 'find' && options.lists) for (const word of rest) refuseWord(word, 'steering');
  return {
    refusals,
    assigned: [...command.assignments, ...(declares ? rest : [])],
    declared: declares && !/^(?:export|readonly)$/.test(name) ? rest : [],
    makesIntegers:
      declares && (name === 'integer' || rest.some((word) => /^-\w*[in]/.test(word.literal ?? ''))),
    makesArrays: makesArrays(command, name, rest),
    readsInput: shape.readsInput && !readsKnownText(command),
    evaluated: evaluatedWords(command, shape, options),
    spreadable: spreadableWords(command, shape),
  };
}

type RefuseWord = (word: ScriptWord | undefined, refusal: Refusal) => void;

function judgeAssignment(word: ScriptWord, refusals: Map<number, Refusal>): void {
  const steers = steersExecution(word.assigns ?? '');
  for (const reference of word.references) {
    if (word.namedBy.includes(reference)) refusals.set(reference, 'subscript');
    else if (steers) refusals.set(reference, 'steering-variable');
  }
}

/** `declare NAME=value` with flags that leave the value text. */
function judgeDeclaration(words: readonly ScriptWord[], refuseWord: RefuseWord): void {
  const flags = words.filter((word) => /^[-+]/.test(word.literal ?? word.prefix));
  const onlyText = flags.every((word) => /^-[rxgp-]+$/.test(word.literal ?? ''));
  for (const word of words) {
    const name = /^([A-Za-z_][A-Za-z0-9_]*)\+?=/.exec(word.prefix)?.[1];
    if (name === undefined) refuseWord(word, 'name');
    else if (steersExecution(name)) refuseWord(word, 'steering-variable');
    else if (!onlyText && !word.isArray) refuseWord(word, 'integer');
    else if (flags.some((flag) => /[inA]/.test(flag.literal ?? 'i'))) refuseWord(word, 'integer');
  }
}

/** Only forms in which no value can be taken for an operator. */
function judgeTest(words: readonly ScriptWord[], options: JudgeOptions, refuseWord: RefuseWord): void {
  const texts = words.map((word) => word.literal);
  const [first, ...others] = texts[0] === '!' && words.length > 1 ? texts.slice(1) : texts;
  const count = others.length + 1;
  const numbersAreText = options.dialect === 'bash' || options.dialect === 'posix';
  const operator = others[0] ?? '';
  const decided =
    count === 1 ||
    (count === 2 && UNARY_TEST.test(first ?? '')) ||
    (count === 3 && (STRING_TEST.test(operator) || (numbersAreText && NUMBER_TEST.test(operator))));
  if (!decided || options.lists) for (const word of words) refuseWord(word, 'test-operator');
}

/** `printf -v NAME` computes a subscript; ksh and zsh compute numbers. */
function judgeFormat(words: readonly ScriptWord[], options: JudgeOptions, refuseWord: RefuseWord): void {
  const format = words[0]?.literal === '--' ? words[1] : words[0];
  const startsAsOption =
    words[0]?.literal !== '--' && (format?.prefix === '' || format?.prefix.startsWith('-'));
  const computes = options.dialect === 'zsh' || options.dialect === 'korn';
  const onlyText = TEXT_FORMAT.test(format?.literal ?? '%d');
  if (startsAsOption || (computes && !onlyText)) for (const word of words) refuseWord(word, 'format');
}

function judgeSet(words: readonly ScriptWord[], refuseWord: RefuseWord): void {
  const end = words.findIndex((word) => word.literal === '--');
  words.forEach((word, index) => {
    if (end === -1 || index < end) refuseWord(word, 'evaluated');
  });
}

function makesArrays(command: SimpleCommand, name: string, rest: readonly ScriptWord[]): boolean {
  return (
    [...command.assignments, ...rest].some((word) => word.isArray) ||
    (DECLARING.has(name) && rest.some((word) => /^-\w*[aA]/.test(word.literal ?? ''))) ||
    /^(?:mapfile|readarray|read)$/.test(name)
  );
}

/** Arguments of the program itself, after which nothing but data comes, and which are no value of an option. */
function spreadableWords(command: SimpleCommand, shape: CommandShape): readonly ScriptWord[] {
  if (interpreterFor(shape.program ?? '')?.permutes === true) return [];
  const lastNotData = shape.roles.findLastIndex((role) => role !== 'data');
  const hasCode = shape.roles.includes('code');
  return command.words.filter((word, at) => {
    if (word.references.length === 0 || at <= lastNotData || at <= shape.programAt) return false;
    const before = command.words[at - 1]?.literal;
    return !(hasCode && before !== '--' && before?.startsWith('-'));
  });
}

/** Text in single quotes is handed on as it is; what expands before it is run must not hold a value. */
function evaluatedWords(
  command: SimpleCommand,
  shape: CommandShape,
  options: JudgeOptions,
): readonly string[] {
  const name = shape.program ?? '';
  const countsOnly = COUNTING.has(name) && (options.dialect === 'bash' || options.dialect === 'posix');
  const evaluatesAll = (EVALUATING.has(name) && !countsOnly) || name === 'eval' || name === 'trap';
  const isEvaluated = (word: ScriptWord, at: number): boolean => {
    const role = shape.roles[at];
    if (at > shape.programAt && evaluatesAll) return true;
    if (name === 'printf' && at === shape.programAt + 1) return true;
    if (command.words[at - 1]?.literal === '-v') return true;
    if (word.assigns !== undefined && steersExecution(word.assigns)) return true;
    return (role === 'program' || role === 'code' || role === 'script') && !/^'[^']*'$/.test(word.raw);
  };
  const assignments = command.assignments.filter((word) => steersExecution(word.assigns ?? ''));
  return [...assignments, ...command.words.filter(isEvaluated)].map((word) => word.raw);
}

/** Its program is a heredoc in which nothing is expanded, or a file. */
function readsKnownText(command: SimpleCommand): boolean {
  const input = command.redirects.findLast(({ operator }) => /^(?:<|<<|<<-|<>)$/.test(operator));
  if (input === undefined || input.target.references.length > 0) return false;
  return !input.operator.startsWith('<<') || /['"\\]/.test(input.target.raw);
}
