/** What the words before the cursor mean: the command they lead to, its arguments and options, and what is expected next. */
import type { Argument, Command, Option } from 'commander';

export interface Typed {
  readonly command: Command;
  readonly arguments: readonly string[];
  /** By attribute name. */
  readonly options: ReadonlyMap<string, string>;
  readonly expects:
    | { readonly type: 'value'; readonly of: Option }
    /** Undefined if the command takes no more arguments. */
    | { readonly type: 'argument'; readonly of: Argument | undefined };
}

export function readTyped(root: Command, words: readonly string[]): Typed {
  let command = root;
  let open: Option | undefined;
  let isLiteral = false;
  const given: string[] = [];
  const options = new Map<string, string>();
  for (const word of words) {
    if (open !== undefined && (open.required || !word.startsWith('-'))) {
      options.set(open.attributeName(), word);
      open = undefined;
      continue;
    }
    open = undefined;
    if (isLiteral || !word.startsWith('-') || word === '-') {
      const below = command.commands.find((each) => each.name() === word);
      if (below !== undefined && given.length === 0) command = below;
      else given.push(word);
      continue;
    }
    if (word === '--') isLiteral = true;
    const option = optionsOf(command).find(({ long, short }) => long === word || short === word);
    if (option !== undefined && (option.required || option.optional)) open = option;
    const [, name, value] = /^(--[^=]+)=(.*)$/s.exec(word) ?? [];
    const assigned = optionsOf(command).find(({ long }) => long !== undefined && long === name);
    if (assigned !== undefined) options.set(assigned.attributeName(), value ?? '');
  }
  const expected = command.registeredArguments;
  const next = expected[given.length] ?? (expected.at(-1)?.variadic === true ? expected.at(-1) : undefined);
  return {
    command,
    arguments: given,
    options,
    expects: open === undefined ? { type: 'argument', of: next } : { type: 'value', of: open },
  };
}

/** Options of the command and of those above it. */
export function optionsOf(command: Command): readonly Option[] {
  const own = command.options.filter(({ hidden }) => !hidden);
  return command.parent === null ? own : [...own, ...optionsOf(command.parent)];
}
