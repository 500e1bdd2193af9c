import { type Command, InvalidArgumentError } from 'commander';
import type { CliContext } from '../context.ts';
import { type GlobalFlags, type IterateSite, openSite } from '../iterate/site.ts';
import { collect, wholeNumber } from '../run-options.ts';

type Act<Arguments extends readonly unknown[]> = (
  site: IterateSite,
  ...given: Arguments
) => void | Promise<void>;

/** Every sub-command; the file of one is read when it is called. */
export function define(command: Command, context: CliContext): void {
  command
    .option('--workspaces-dir <folder>', 'folder of the workspaces')
    .option('--templates-dir <folder>', 'folder of the templates')
    .option('--archive-dir <folder>', 'folder of the archives')
    .option('--no-colors', 'no colours')
    .option('--verbose', 'say more')
    .addHelpText(
      'after',
      '\nExample:\n  claude-iterate init my-task\n  claude-iterate setup my-task\n  claude-iterate run my-task',
    );

  const act =
    <Arguments extends readonly unknown[]>(load: () => Promise<Act<Arguments>>) =>
    async (...given: readonly unknown[]): Promise<void> => {
      // Commander adds the command itself as the last argument.
      const own = given.slice(0, -1) as unknown as Arguments;
      const site = openSite(context, command.opts<GlobalFlags>());
      if (site === undefined) return;
      await (await load())(site, ...own);
    };

  const add = (usage: string, summary: string, example: string, on: Command = command): Command =>
    on
      .command(usage)
      .summary(summary)
      .description(`${summary.charAt(0).toUpperCase()}${summary.slice(1)}.`)
      .addHelpText('after', `\nExample:\n  claude-iterate ${example}`);

  add('init <name>', 'create a workspace', 'init my-task --mode iterative')
    .option(
      '-m, --max-iterations <number>',
      'iterations of a run (50 in loop mode, 20 in iterative mode)',
      atLeastOne,
    )
    .option('-d, --delay <seconds>', 'seconds between iterations', seconds)
    .option(
      '--stagnation-threshold <number>',
      'end after this many iterations without work; 0: never',
      wholeNumber,
    )
    .option('--mode <mode>', 'loop or iterative', 'loop')
    .option('--notify-url <url>', 'where notifications go')
    .option('--notify-events <event...>', 'what is notified')
    .option('--agent <agent>', 'claude, gemini, codex or a command')
    .action(act(async () => (await import('../iterate/init.ts')).init));

  const run = add(
    'run <name>',
    'run the loop of a workspace',
    'run my-task --max-iterations 10 --check "npm test"',
  )
    .option('-m, --max-iterations <number>', 'override max iterations', atLeastOne)
    .option('-d, --delay <seconds>', 'override delay between iterations', seconds)
    .option('--no-delay', 'skip delay between iterations')
    .option(
      '--stagnation-threshold <number>',
      'stop after N consecutive no-work iterations (iterative mode only, 0=never)',
      wholeNumber,
    )
    .option('-v, --verbose', 'show full agent output (equivalent to --output verbose)')
    .option('-q, --quiet', 'silent execution, errors only (equivalent to --output quiet)')
    .option('--output <level>', 'output level: quiet, progress, verbose')
    .option('--dangerously-skip-permissions', 'skip permission prompts (runtime only, not saved to config)')
    .option('--dry-run', 'use the built-in mock agent (logs to mock-claude.log in the temp folder)')
    .option('--agent <agent>', 'claude, gemini, codex or a command')
    .option('--budget-usd <amount>', 'stop when this much is spent', dollars)
    .option('--iteration-timeout <seconds>', 'end an iteration after this long', positiveSeconds)
    .option('--verify', 'verify before the task is complete')
    .option('--no-verify', 'do not verify')
    .option(
      '--check <command>',
      'must succeed before the task is complete; may be given several times',
      collect,
    );
  run.action(
    act(async () => {
      const { run: action } = await import('../iterate/run.ts');
      return (site: IterateSite, name: string, flags: Parameters<typeof action>[2]) =>
        action(site, name, {
          ...flags,
          // The common option takes the word wherever it stands.
          ...(command.opts<GlobalFlags>().verbose === true ? { verbose: true } : {}),
          ...(run.getOptionValueSource('verify') === undefined ? { verify: undefined as never } : {}),
          ...(run.getOptionValueSource('delay') === 'default' ? { delay: undefined as never } : {}),
        });
    }),
  );

  add('list', 'list the workspaces', 'list --status in_progress')
    .alias('ls')
    .option('--status <status>', 'in_progress, completed or error')
    .option('--json', 'print them as JSON')
    .action(act(async () => (await import('../iterate/list.ts')).list));

  add('show <name>', 'show a workspace', 'show my-task')
    .option('--json', 'print it as JSON')
    .action(act(async () => (await import('../iterate/show.ts')).show));
}

function number(text: string, fits: (value: number) => boolean, words: string): number {
  const value = /^\d+(?:\.\d+)?$/.test(text) ? Number(text) : Number.NaN;
  if (!fits(value)) throw new InvalidArgumentError(`it must be ${words}.`);
  return value;
}

const atLeastOne = (text: string): number => {
  const value = wholeNumber(text);
  if (value < 1) throw new InvalidArgumentError('it must be 1 or more.');
  return value;
};
const seconds = (text: string): number =>
  number(text, (value) => value >= 0, 'a number of seconds, 0 or more');
const positiveSeconds = (text: string): number => number(text, (value) => value > 0, 'a number of seconds');
const dollars = (text: string): number => number(text, (value) => value > 0, 'an amount in US dollars');
