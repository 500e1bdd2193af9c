import {
  type CommandShape,
  commandShape,
  fillRoles,
  startsUnknown,
  takeRoles,
  type WordRole,
  wordAt,
} from './command-shape.ts';
import { type ReadOption, readOption } from './options.ts';
import type { Interpreter } from './programs/interpreters.ts';

/** `jq --arg NAME VALUE` and similar: two words of data. */
const NAMED_ARGUMENT = /^--(?:arg|argjson|slurpfile|rawfile)$/;
const ASKS_ONLY = /^(?:-V|-v|-h|--version|--help)$/;

/** A partly unknown option may be any option, including one that takes code. */
function optionRole(option: ReadOption, isKnown: boolean): WordRole {
  if (option.type === 'value') return 'data';
  return isKnown && !option.attached ? 'steering' : 'code';
}

/** `python3 -m MODULE …`: the module is judged like a program of its name. */
function moduleArguments(shape: CommandShape, at: number): void {
  takeRoles(shape, commandShape(shape.words.slice(at)), at);
}

/** Finds which words of `perl -ne CODE file`, `awk CODE file`, `python3 script.py x` are code and which are data. */
export function interpreterArguments(shape: CommandShape, interpreter: Interpreter, from: number): void {
  const files = interpreter.files ?? [];
  const names = {
    values: [...(interpreter.shortValues ?? ''), ...(interpreter.longValues ?? [])],
    code: [...interpreter.code, ...files, ...(interpreter.preloads ?? [])],
    own: interpreter.ownValues ?? '',
  };
  let hasCode = false;
  let ended = false;
  let fromInput = false;
  for (let at = from; at < shape.words.length; at += 1) {
    const word = wordAt(shape, at);
    const text = word.literal ?? word.prefix;
    if (!ended && startsUnknown(word)) {
      shape.roles[at] = hasCode ? 'option' : 'code';
    } else if (!ended && word.literal === '--') {
      ended = true;
    } else if (!ended && NAMED_ARGUMENT.test(text)) {
      at += 2;
    } else if (!ended && text.startsWith('-') && text !== '-') {
      const option = readOption(text, word.literal === undefined, names);
      shape.roles[at] = optionRole(option, word.literal !== undefined);
      if (option.type === 'code' && !interpreter.preloads?.includes(option.name)) hasCode = true;
      if (option.type !== 'flag' && !option.attached) {
        at += 1;
        if (
          option.name === 'm' &&
          interpreter.endsOptions === true &&
          wordAt(shape, at).literal !== undefined
        ) {
          moduleArguments(shape, at);
          return;
        }
        const isSure = option.type === 'value' && wordAt(shape, at).splits !== true;
        if (at < shape.words.length) shape.roles[at] = isSure ? 'data' : 'code';
      }
      if (hasCode && interpreter.endsOptions) {
        fillRoles(shape, at + 1, 'data');
        return;
      }
    } else {
      fromInput ||= !hasCode && text === '-';
      if (!hasCode) shape.roles[at] = interpreter.operand === 'code' ? 'code' : 'program';
      hasCode = true;
      ended ||= interpreter.permutes !== true;
    }
  }
  const asksOnly = ASKS_ONLY.test(wordAt(shape, from).literal ?? '');
  if (interpreter.readsInput === true && (!hasCode || fromInput) && !asksOnly) {
    shape.readsInput = true;
  }
}
