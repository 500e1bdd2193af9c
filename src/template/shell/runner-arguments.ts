import {
  type CommandShape,
  type CommandWord,
  commandShape,
  fillRoles,
  startsUnknown,
  takeRoles,
  type WordRole,
  wordAt,
} from './command-shape.ts';
import { readOption } from './options.ts';
import { isProperty } from './programs/properties.ts';
import { GIT_RUNS, GIT_RUNS_ALL, GIT_SUBCOMMANDS, type Runner } from './programs/runners.ts';

/** Which words of `tar -I CMD …`, `split --filter=CMD`, `psql -c CODE` are code. */
export function runnerArguments(shape: CommandShape, runner: Runner, from: number): void {
  const shellText = runner.shellText ?? [];
  const names = {
    values: [...(runner.shortValues ?? ''), ...(runner.longValues ?? [])],
    code: [...(runner.code ?? []), ...shellText],
  };
  const unknown: number[] = [];
  let operands = 0;
  for (let at = from; at < shape.words.length; at += 1) {
    const word = wordAt(shape, at);
    const text = word.literal ?? word.prefix;
    if (word.literal === '--') {
      operands += shape.words.length - at - 1;
      if (runner.operand !== undefined) fillRoles(shape, at + 1, runner.operand);
      break;
    }
    if (startsUnknown(word)) {
      shape.roles[at] = runner.operand ?? 'option';
      unknown.push(at);
      operands += 1;
      continue;
    }
    if (isProperty(runner.properties, text)) continue;
    const named = runner.words?.find((option) => text === option || text.startsWith(`${option}=`));
    if (named !== undefined) {
      shape.roles[text === named ? Math.min(at + 1, shape.roles.length - 1) : at] = 'code';
      continue;
    }
    const isBare = runner.bareOptions === true && at === from && !text.startsWith('-');
    if (!isBare && (!text.startsWith('-') || text === '-')) {
      if (runner.operand !== undefined) shape.roles[at] = runner.operand;
      operands += 1;
      continue;
    }
    const options = isBare ? `-${text}` : text;
    const option = readOption(options, word.literal === undefined, names);
    if (option.type === 'flag') continue;
    const role: WordRole =
      option.type === 'value' ? 'data' : shellText.includes(option.name) ? 'nested' : 'code';
    if (isBare && /[IF]/.test(text)) fillRoles(shape, at + 1, 'nested');
    if (option.attached && !isBare) shape.roles[at] = role;
    else {
      at += 1;
      if (at < shape.roles.length) shape.roles[at] = wordAt(shape, at).splits ? 'option' : role;
    }
  }
  const [alone] = unknown;
  if (alone !== undefined && isTame(shape, runner, { alone, operands, from })) shape.roles[alone] = 'data';
}

/** Whether a value that turns out to be an option leaves the program without anything to do. */
function isTame(
  shape: CommandShape,
  runner: Runner,
  { alone, operands, from }: { readonly alone: number; readonly operands: number; readonly from: number },
): boolean {
  if (runner.isTame === undefined || runner.isTame === false || wordAt(shape, alone).splits === true)
    return false;
  if (runner.isTame === true) return operands === 1;
  return operands === 2 && runner.isTame.includes(wordAt(shape, from).literal ?? '');
}

/** `git -c NAME=VALUE`, `git config NAME VALUE`, and the options of subcommands that name what is run. */
export function gitArguments(shape: CommandShape, from: number): void {
  const at = gitSubcommand(shape, from);
  const subcommand = wordAt(shape, at).literal;
  const runner = GIT_SUBCOMMANDS.get(subcommand ?? '');
  if (subcommand === undefined) fillRoles(shape, at, 'steering');
  else if (subcommand === 'config') configArguments(shape, at + 1);
  else if (subcommand === 'bisect' && wordAt(shape, at + 1).literal === 'run') {
    takeRoles(shape, commandShape(shape.words.slice(at + 2)), at + 2);
  } else if (GIT_RUNS_ALL.has(subcommand)) fillRoles(shape, at + 1, 'code');
  else if (subcommand === 'submodule' && shape.words.slice(at).some(({ literal }) => literal === 'foreach')) {
    fillRoles(shape, at + 1, 'nested');
  } else if (runner !== undefined) runnerArguments(shape, runner, at + 1);
}

/** Skips options up to the subcommand or a word that may be anything. */
function gitSubcommand(shape: CommandShape, from: number): number {
  let at = from;
  for (; at < shape.words.length; at += 1) {
    const word = wordAt(shape, at);
    const text = word.literal ?? word.prefix;
    if (startsUnknown(word) || !text.startsWith('-')) break;
    if (text === '-c') {
      at += 1;
      if (at < shape.roles.length) shape.roles[at] = settingRole(wordAt(shape, at));
    } else if (/^--(?:exec-path|config-env)/.test(text)) shape.roles[at] = 'code';
    else if (/^(?:-C|--git-dir|--work-tree|--namespace|--super-prefix)$/.test(text)) {
      at += 1;
      if (wordAt(shape, at).splits) break;
    } else if (word.literal === undefined && !/^--[a-z-]+=/.test(text)) break;
  }
  return at;
}

/** `alias.x=!CMD` is a script; a partly unknown name may be any setting. */
function settingRole({ literal, prefix, splits }: CommandWord): WordRole {
  const text = literal ?? prefix;
  const [name = ''] = text.split('=', 1);
  if (splits === true || (literal === undefined && !text.includes('='))) return 'code';
  return GIT_RUNS.test(name) ? 'nested' : 'data';
}

function configArguments(shape: CommandShape, from: number): void {
  const name = shape.words.findIndex(
    ({ literal }, at) => at >= from && /^(?!-|(?:set|get|unset|edit|list)$)/.test(literal ?? '-'),
  );
  const unknown = shape.words.findIndex((word, at) => at >= from && startsUnknown(word));
  const isKnown = name !== -1 && (unknown === -1 || name < unknown);
  if (!isKnown || GIT_RUNS.test(wordAt(shape, name).literal ?? '')) fillRoles(shape, from, 'code');
}
