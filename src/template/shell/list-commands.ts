/**
 * The simple commands of a shell script, wherever they are: after `&&`, in pipes, subshells, functions, substitutions, `sh -c '…'`, behind
 * `sudo` or `xargs`. For those who decide about a script before it runs.
 */

import { createCursor } from './analyse-script.ts';
import { commandShape, type WordRole } from './command-shape.ts';
import type { Cursor, ScriptWord, SimpleCommand } from './cursor.ts';
import { judgeCommand } from './judge-command.ts';
import { EVALUATORS } from './programs/evaluators.ts';
import { interpreterFor } from './programs/interpreters.ts';
import { readList } from './read-commands.ts';

export interface ListedCommand {
  /** Without quotes; undefined if only the shell knows a word: it has a variable, a substitution or a wildcard. */
  readonly words: readonly (string | undefined)[];
  /** It writes to a file, or sets variables for the command. */
  readonly hasMore: boolean;
  /** What another command of the list runs: behind `sudo`, `env`, `xargs`, `find -exec`. */
  readonly isLaunched: boolean;
}

export interface ListedScript {
  readonly commands: readonly ListedCommand[];
  /** It may also run commands that are not listed: code for another interpreter, text that is put together at run time, standard input. */
  readonly isUnclear: boolean;
}

/** Longer ones are not read. */
const LONGEST = 100_000;

export function listCommands(script: string): ListedScript {
  if (script.length > LONGEST) return { commands: [], isUnclear: true };
  const commands: ListedCommand[] = [];
  let isUnclear = false;
  const cursor: Cursor = {
    ...createCursor([script], { shell: 'bash' }),
    visit: (command, within) => {
      const listed = listCommand(command);
      commands.push(...listed.commands);
      isUnclear ||= listed.isUnclear;
      judgeCommand(command, within);
    },
  };
  readList(cursor, 'text');
  return { commands, isUnclear: isUnclear || cursor.lost !== undefined };
}

function listCommand({ words, assignments, redirects }: SimpleCommand): ListedScript {
  if (words.length === 0) return { commands: [], isUnclear: false };
  const shape = commandShape(words);
  const known = words.map(literalOf);
  const hasMore =
    assignments.length > 0 || redirects.some(({ operator, target }) => writes(operator, target));
  const starts = shape.roles.flatMap((role, at) => (role === 'program' && at > 0 ? [at] : []));
  const hidden = shape.roles.some((role, at) => isHidden(role, words[at]));
  const runsCode = shape.roles.includes('code') && runsItsArguments(shape.program);
  return {
    commands: [
      { words: known, hasMore, isLaunched: false },
      ...starts.map((at) => ({ words: known.slice(at), hasMore, isLaunched: true })),
    ],
    isUnclear:
      shape.program === undefined || shape.readsInput || hidden || runsCode || known[0] === undefined,
  };
}

/** File names and braces are filled in when it runs. */
function literalOf({ literal, globs, splits, unquoted }: ScriptWord): string | undefined {
  // The name of a command.
  if (literal === '[') return literal;
  const isExpanded = globs || splits || (unquoted && hasChoices(literal ?? ''));
  return isExpanded ? undefined : literal;
}

/** `{a,b}`, `{1..3}` */
function hasChoices(word: string): boolean {
  return /[,.]/.test(word.slice(word.indexOf('{') + 1 || word.length, Math.max(0, word.lastIndexOf('}'))));
}

/** A script that is not known before it runs, or runs elsewhere (`ssh`, `su -c`). */
function isHidden(role: WordRole, word: ScriptWord | undefined): boolean {
  return role === 'nested' || (role === 'script' && word?.literal === undefined);
}

/** `make` gets names, not code. */
function runsItsArguments(program = ''): boolean {
  if (/^g?make$/.test(program)) return false;
  return EVALUATORS.has(program) || interpreterFor(program) !== undefined;
}

function writes(operator: string, target: ScriptWord): boolean {
  if (!operator.includes('>')) return false;
  return !(target.literal === '/dev/null' || (operator === '>&' && /^[0-9-]+$/.test(target.literal ?? '')));
}
