import { judgeBuiltin } from './builtins.ts';
import { type CommandShape, commandShape, type WordRole } from './command-shape.ts';
import { type Cursor, lose, refuse, type ScriptWord, type SimpleCommand, spread } from './cursor.ts';
import { joinFlows, NO_FLOW } from './flow/flow.ts';
import { addSink, expand, fill, gathering } from './flow/gather.ts';
import { ANY_VARIABLE, OUTPUT_OF } from './flow/judge-flow.ts';
import { noteAssignments } from './note-assignments.ts';
import { noteFiles } from './note-files.ts';
import { interpreterFor } from './programs/interpreters.ts';
import { FOREIGN_SHELLS, SHELLS } from './programs/shells.ts';
import { readCode } from './read-code.ts';
import type { Refusal } from './refusal.ts';

const BY_ROLE: Readonly<Record<Exclude<WordRole, 'data'>, Refusal>> = {
  program: 'command-name',
  script: 'nested-script',
  nested: 'nested-script',
  code: 'code',
  steering: 'steering',
  option: 'option',
};

/** Notes what a simple command does with the values in its words or expanded into them. */
export function judgeCommand(command: SimpleCommand, cursor: Cursor): void {
  noteAssignments(command, cursor);
  const shape = commandShape(command.words);
  shape.roles.forEach((role, at) => {
    if (role !== 'data') judgeRole(command.words[at], { shape, role, at, cursor });
  });
  judgeProgram(command, shape, cursor);
  readShellText(command, shape, cursor);
  if (shape.readsInput && !readsKnownText(command, shape)) {
    addSink(cursor, anything(cursor), { type: 'run', refusal: 'fed-to-interpreter' });
  }
  judgeBuiltin(command, shape, cursor);
  noteFiles(command, shape, cursor);
  for (const word of spreadableWords(command, shape)) spread(cursor, word);
}

interface RoleOf {
  readonly shape: CommandShape;
  readonly role: Exclude<WordRole, 'data'>;
  readonly at: number;
  readonly cursor: Cursor;
}

function judgeRole(word: ScriptWord | undefined, { shape, role, at, cursor }: RoleOf): void {
  if (word === undefined) return;
  for (const reference of word.references) refuse(cursor, reference, BY_ROLE[role]);
  const knowsName = role === 'program' && /\/[^/]+$/.test(word.suffix);
  const ofUnknown =
    role === 'steering' && shape.program === undefined && shape.roles[shape.programAt] === 'program';
  const type = role === 'option' || knowsName || (ofUnknown && at > shape.programAt) ? 'direct' : 'run';
  addSink(cursor, word.flow, { type, refusal: BY_ROLE[role] });
}

/** An unknown program may evaluate its words. */
function judgeProgram({ words }: SimpleCommand, shape: CommandShape, cursor: Cursor): void {
  const [first, ...others] = words;
  if (first?.literal !== undefined) {
    fill(cursor, '@', parametersOf(others), first.literal);
    // The output of a function may be anything.
    if (cursor.depth > 0) expand(cursor, `${OUTPUT_OF}${first.literal}`, { isWhole: false });
  }
  const program = words[shape.programAt];
  if (program === undefined || program.literal !== undefined || /\/[^/]+$/.test(program.suffix)) return;
  addSink(cursor, joinFlows(words.map(({ flow }) => flow)), {
    ...{ type: 'computed', refusal: 'evaluated', ifFilled: program.flow.expansions },
  });
}

export function parametersOf(words: readonly ScriptWord[]): ReturnType<typeof joinFlows> {
  const flow = joinFlows(words.map((word) => word.flow));
  return { ...flow, reads: flow.reads || words.some((word) => word.globs) };
}

/** Nested shell scripts are parsed as part of this one: they inherit its variables and receive words as parameters. */
function readShellText(command: SimpleCommand, shape: CommandShape, cursor: Cursor): void {
  const { words } = command;
  const nested = words.filter((_, at) => shape.roles[at] === 'nested');
  if (nested.length > 0) readCode(cursor, nested, { shell: 'sh' });
  shape.roles.forEach((role, at) => {
    if (role !== 'script') return;
    const shell = shape.shell ?? 'sh';
    const [zeroth, ...parameters] = words.slice(at + 1);
    fill(cursor, '0', zeroth?.flow ?? NO_FLOW);
    fill(cursor, '@', shape.putsIn ? anything(cursor) : parametersOf(parameters));
    if (FOREIGN_SHELLS.has(shell)) lose(cursor, `scripts of \`${shell}\` are not supported`);
    else readCode(cursor, words.slice(at, at + 1), { shell });
  });
}

/** Any value that the script has. */
export function anything(cursor: Cursor): ReturnType<typeof joinFlows> {
  return gathering(cursor, () => expand(cursor, ANY_VARIABLE, { isWhole: false }));
}

/** Whether its program is a heredoc without expansions, or a file. Such input of a shell is not parsed. */
function readsKnownText(command: SimpleCommand, shape: CommandShape): boolean {
  const input = command.redirects.findLast(({ operator }) => /^(?:<|<<|<<-|<>)$/.test(operator));
  if (shape.putsIn || input === undefined || input.target.references.length > 0) return false;
  if (!input.operator.startsWith('<<')) return input.target.literal !== undefined;
  return !SHELLS.has(shape.program ?? '') && /['"\\]/.test(input.target.raw);
}

/** Arguments of the program itself that are not option values and are followed only by data. */
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
