import { type Command, InvalidArgumentError, Option } from 'commander';

/** How much a run prints; shared by all commands that run something. */
export interface OutputOptions {
  readonly quiet?: boolean;
  readonly verbose?: boolean;
  readonly json?: boolean;
}

export function addOutputOptions(command: Command): Command {
  return command
    .addOption(
      new Option('-q, --quiet', 'only print what needs your attention').conflicts(['verbose', 'json']),
    )
    .addOption(new Option('-v, --verbose', 'stream the output of steps and agents').conflicts('json'))
    .option('--json', 'print events to stdout, one JSON object per line');
}

/** For commands that can leave a run to a process of its own. */
export interface DetachOption {
  readonly detach?: boolean;
}

export function addDetachOption(command: Command): Command {
  return command.addOption(
    new Option('--detach', 'run in the background; print the id of the run once it has started').conflicts(
      'json',
    ),
  );
}

/** For commands whose runs workers can carry out. */
export interface EngineOption {
  readonly engine?: boolean;
}

export function addEngineOption(command: Command): Command {
  return command
    .option('--engine', 'let workers carry it out (docs/cluster.md); Ctrl-C detaches')
    .option('--no-engine', 'run it here, even if .orchestrate/engine.yaml says `use: always`');
}

/** For commands that may run something chosen by a file instead of the user. */
export interface TrustOption {
  readonly trust?: boolean;
  readonly quiet?: boolean;
}

export function addTrustOption(command: Command): Command {
  return command.option(
    '--trust',
    'trust the programs and URLs set by files in this folder, and remember it',
  );
}

export function levelOf(options: OutputOptions): 'quiet' | 'progress' | 'verbose' | 'json' {
  if (options.json === true) return 'json';
  if (options.verbose === true) return 'verbose';
  return options.quiet === true ? 'quiet' : 'progress';
}

/** `3`, not `3.5`, `-1` or `three`. */
export function wholeNumber(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError('must be a whole number, 0 or more');
  return Number(text);
}

/** `3`, not `0`. */
export function atLeastOne(text: string): number {
  const number = wholeNumber(text);
  if (number < 1) throw new InvalidArgumentError('must be a whole number, 1 or more');
  return number;
}

/** `-3`, within limits. */
export function integerBetween(least: number, most: number): (text: string) => number {
  return (text) => {
    const number = /^-?\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
    if (number >= least && number <= most) return number;
    throw new InvalidArgumentError(`must be a whole number from ${least} to ${most}`);
  };
}

/** For a repeatable option. */
export function collect(value: string, before: readonly string[] | undefined): readonly string[] {
  return [...(before ?? []), value];
}
