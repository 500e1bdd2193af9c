import { type Command, InvalidArgumentError, Option } from 'commander';

/** How much a run says while it runs; common to all commands that run something. */
export interface OutputOptions {
  readonly quiet?: boolean;
  readonly verbose?: boolean;
  readonly json?: boolean;
}

export function addOutputOptions(command: Command): Command {
  return command
    .addOption(new Option('-q, --quiet', 'say nothing but errors').conflicts(['verbose', 'json']))
    .addOption(
      new Option('-v, --verbose', 'show what the steps and agents say, as they say it').conflicts('json'),
    )
    .option('--json', 'one JSON event a line on stdout');
}

/** For a command that may go on with, or start, what a file and not the user has chosen. */
export interface TrustOption {
  readonly trust?: boolean;
  readonly quiet?: boolean;
}

export function addTrustOption(command: Command): Command {
  return command.option(
    '--trust',
    'trust what files of this folder, and not you, have set to run; remembered',
  );
}

export function levelOf(options: OutputOptions): 'quiet' | 'progress' | 'verbose' | 'json' {
  if (options.json === true) return 'json';
  if (options.verbose === true) return 'verbose';
  return options.quiet === true ? 'quiet' : 'progress';
}

/** `3`, not `3.5`, `-1` or `three`. */
export function wholeNumber(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError('it must be a whole number, 0 or more.');
  return Number(text);
}

/** `3`, not `0`. */
export function atLeastOne(text: string): number {
  const number = wholeNumber(text);
  if (number < 1) throw new InvalidArgumentError('it must be a whole number, 1 or more.');
  return number;
}

/** For a repeatable option. */
export function collect(value: string, before: readonly string[] | undefined): readonly string[] {
  return [...(before ?? []), value];
}
