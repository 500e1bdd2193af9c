import { type Command, InvalidArgumentError, Option } from 'commander';
import type { CliContext } from '../context.ts';
import { type GlobalFlags, type IterateCommand, iterateCommand } from '../iterate/command.ts';
import { takeDashedElements } from '../iterate/dashed-elements.ts';
import { contractCode } from '../iterate/exit-code.ts';
import type { RunFlags } from '../iterate/run.ts';
import { path } from '../path-argument.ts';
import { addEngineOption, collect, wholeNumber } from '../run-options.ts';
import { since } from '../since.ts';
import { subcommandsOf } from '../subcommands.ts';

type Act<Arguments extends readonly unknown[]> = (
  command: IterateCommand,
  ...given: Arguments
) => void | Promise<void>;

/** Defines every subcommand; its file is imported only when it is called. */
export function define(command: Command, context: CliContext): void {
  takeDashedElements(command);
  command
    .option('--workspaces-dir <folder>', 'folder for workspaces', path)
    .option('--templates-dir <folder>', 'folder for templates', path)
    .option('--archive-dir <folder>', 'folder for archives', path)
    .option('--no-colors', 'disable colours')
    .option('--verbose', 'show more output')
    .option('--trust', 'trust the programs and URLs set by files in this folder, and remember it')
    .addHelpText(
      'after',
      '\nExample:\n  claude-iterate init my-task\n  claude-iterate setup my-task\n  claude-iterate run my-task',
    );

  const act =
    <Arguments extends readonly unknown[]>(load: () => Promise<Act<Arguments>>) =>
    async (...given: readonly unknown[]): Promise<void> => {
      // Commander adds the command itself as the last argument.
      const own = given.slice(0, -1) as unknown as Arguments;
      await (await load())(iterateCommand(context, command.opts<GlobalFlags>()), ...own);
      context.exitCode = contractCode(context.exitCode);
    };
  const addTo =
    (on: Command) =>
    (usage: string, summary: string, example: string): Command =>
      subcommandsOf(on)(usage, summary, `claude-iterate ${example}`);
  const add = addTo(command);

  add('init <name>', 'create a workspace', 'init my-task --mode iterative')
    .option(
      '-m, --max-iterations <number>',
      'maximum iterations per run (default: 50 in loop mode, 20 in iterative mode)',
      atLeastOne,
    )
    .option('-d, --delay <seconds>', 'seconds between iterations', seconds)
    .option(
      '--stagnation-threshold <number>',
      'stop after this many iterations without work (0: never)',
      wholeNumber,
    )
    .option('--mode <mode>', 'loop or iterative', 'loop')
    .option('--notify-url <url>', 'URL to send notifications to')
    .option('--notify-events <event...>', 'events to notify about')
    .option('--agent <agent>', 'claude, gemini, codex, opencode, copilot, qwen or a command')
    .action(act(async () => (await import('../iterate/init.ts')).init));

  /** What a run is given, also from the queue. */
  const withRunOptions = (on: Command): Command =>
    on
      .option('-m, --max-iterations <number>', 'override the maximum number of iterations', atLeastOne)
      .option('-d, --delay <seconds>', 'override the delay between iterations', seconds)
      .option('--no-delay', 'no delay between iterations')
      .option(
        '--stagnation-threshold <number>',
        'stop after this many iterations without work (iterative mode only; 0: never)',
        wholeNumber,
      )
      .option('--agent <agent>', 'claude, gemini, codex, opencode, copilot, qwen or a command')
      .option(
        '--fallback <agent>',
        'agent that takes over when the one before it has reached its usage limit (repeatable)',
        collect,
      )
      .option('--budget-usd <amount>', 'stop when this much has been spent', dollars)
      .option('--budget-tokens <number>', 'stop when the agents have used this many tokens', atLeastOne)
      .option('--budget-calls <number>', 'stop after this many agent calls', atLeastOne)
      .option('--budget-minutes <number>', 'stop when the loop has worked this many minutes', minutes)
      .option('--dangerously-skip-permissions', 'skip permission prompts (runtime only, not saved to config)')
      .option('--iteration-timeout <seconds>', 'time limit for an iteration', positiveSeconds)
      .option('--checkpoint', 'commit the work of every iteration')
      .option('--branch <name>', 'commit on this branch, which is created if it does not exist')
      .option('--worktree', 'work in a git worktree of its own, and bring the work back at the end')
      .option('--verify', 'verify the work before the task counts as complete')
      .option('--no-verify', 'skip verification')
      .option(
        '--check <command>',
        'command that must succeed before the task counts as complete (repeatable)',
        collect,
      );
  const given = (on: Command): Partial<RunFlags> =>
    Object.fromEntries(Object.entries(on.opts()).filter(([key]) => on.getOptionValueSource(key) === 'cli'));

  const run = withRunOptions(
    add('run <name>', 'run the loop of a workspace', 'run my-task --max-iterations 10 --check "npm test"'),
  )
    .option('-v, --verbose', 'show full agent output (same as --output verbose)')
    .option('-q, --quiet', 'print only errors (same as --output quiet)')
    .option('--output <level>', 'output level: quiet, progress, verbose')
    .option('--dry-run', 'use the built-in mock agent (logs to mock-claude.log in the temp folder)')
    .option('--detach', 'run in the background; print the id of the run once it has started');
  addEngineOption(run);
  run.action(
    act(async () => {
      const { run: action } = await import('../iterate/run.ts');
      return (on: IterateCommand, name: string) => {
        // `--verbose` also counts before the subcommand.
        const verbose = command.opts<GlobalFlags>().verbose === true ? { verbose: true } : {};
        return action(on, name, { ...given(run), ...verbose });
      };
    }),
  );

  add('list', 'list the workspaces', 'list --status in_progress')
    .alias('ls')
    .option('--status <status>', 'in_progress, completed or error')
    .option('--json', 'print as JSON')
    .action(act(async () => (await import('../iterate/list.ts')).list));

  add('show <name>', 'show a workspace', 'show my-task')
    .option('--json', 'print as JSON')
    .action(act(async () => (await import('../iterate/show.ts')).show));

  add(
    'report [name...]',
    'report what loops did: changes, cost, time, checks (default: all loops of the last 24 hours)',
    'report --since 12h --output night.html',
  )
    .option(
      '--since <age|time>',
      'loops that have worked since then: 12h, 2026-01-31, 2026-01-31T22:00Z',
      since,
    )
    .addOption(
      new Option('--format <format>', 'default: by the extension of the output file, or md').choices([
        'md',
        'html',
        'json',
      ]),
    )
    .option('-o, --output <file>', 'write the report to a file instead of printing it', path)
    .action(act(async () => (await import('../iterate/report-loops.ts')).reportOnLoops));

  add('setup <name>', 'write the instructions together with the agent', 'setup my-task --from task.md')
    .option('--from <file>', 'read the instructions from a file (`-`: standard input)', path)
    .option('--agent <agent>', 'claude, gemini, codex, opencode, copilot, qwen or a command')
    .action(act(async () => (await import('../iterate/setup.ts')).setup));
  add('edit <name>', 'change the instructions together with the agent', 'edit my-task')
    .option('--agent <agent>', 'claude, gemini, codex, opencode, copilot, qwen or a command')
    .action(act(async () => (await import('../iterate/setup.ts')).edit));

  const withAgent = (on: Command): Command =>
    on
      .option('--agent <agent>', 'claude, gemini, codex, opencode, copilot, qwen or a command')
      .option('--dangerously-skip-permissions', 'skip permission prompts')
      .option('--dry-run', 'use the built-in mock agent');
  withAgent(add('validate <name>', 'ask the agent to review the instructions', 'validate my-task')).action(
    act(async () => (await import('../iterate/report.ts')).validate),
  );
  withAgent(
    add(
      'verify <name>',
      'ask the agent to check the work against the instructions',
      'verify my-task --depth deep',
    ),
  )
    .option('--depth <depth>', 'quick, standard or deep')
    .option('--report-path <file>', 'file to write the report to', path)
    .option('--json', 'print the result as JSON')
    .option('--show-report', 'print the full report')
    .option('-v, --verbose', 'show what the agent does')
    .option('-q, --quiet', 'print only errors; the exit code shows the result')
    .action(act(async () => (await import('../iterate/report.ts')).verify));

  add('set <name>', 'change the limits or instructions of a running loop', 'set my-task --max-iterations 80')
    .option('-m, --max-iterations <number>', 'maximum number of iterations', atLeastOne)
    .option('-d, --delay <seconds>', 'seconds between iterations', seconds)
    .option('--stagnation-threshold <number>', 'stop after this many iterations without work', wholeNumber)
    .option('--budget-usd <amount>', 'stop when this much has been spent', dollars)
    .option('--budget-tokens <number>', 'stop when the agents have used this many tokens', atLeastOne)
    .option('--budget-calls <number>', 'stop after this many agent calls', atLeastOne)
    .option('--budget-minutes <number>', 'stop when the loop has worked this many minutes', minutes)
    .option('--instructions <file>', 'new instructions; the old ones are kept as INSTRUCTIONS.md.kept-1')
    .action(act(async () => (await import('../iterate/set.ts')).set));
  add('stop <name>', 'stop a loop when its current iteration ends', 'stop my-task').action(
    act(async () => (await import('../iterate/stop.ts')).stop),
  );
  add(
    'pause <name>',
    'pause a loop when its current iteration ends; `run` resumes it',
    'pause my-task',
  ).action(act(async () => (await import('../iterate/stop.ts')).pause));
  add('diff <name>', 'show what an iteration, or the last run, changed', 'diff my-task 3')
    .argument('[iteration]', 'number of the iteration (default: all)', atLeastOne)
    .action(act(async () => (await import('../iterate/git.ts')).diff));
  add(
    'rollback <name>',
    'go back to the state after an iteration (0: before the first); your own changes stay',
    'rollback my-task 3',
  )
    .argument('<iteration>', 'number of the iteration', wholeNumber)
    .action(act(async () => (await import('../iterate/git.ts')).rollback));
  add('reset <name>', 'reset counters and status', 'reset my-task').action(
    act(async () => (await import('../iterate/reset.ts')).reset),
  );
  add('clean <name>', 'archive and remove a workspace', 'clean my-task --force')
    .option('-f, --force', 'do not ask for confirmation')
    .option('--no-archive', 'do not archive it first')
    .action(act(async () => (await import('../iterate/clean.ts')).clean));
  defineQueue(add('queue', 'work through several loops', 'queue run --max-parallel 2'));
  defineTemplate(add('template', 'manage workspace templates', 'template save my-task').alias('tpl'));
  defineArchive(add('archive', 'manage workspace archives', 'archive save my-task'));

  add('config [key] [value]', 'show or change settings', 'config verification.depth deep')
    .option('-g, --global', 'use the settings of the user')
    .option('-w, --workspace <name>', 'use the settings of this workspace')
    .option('-k, --keys', 'list all available settings')
    .option('-l, --list', 'list all values and where they come from')
    .option('--json', 'print as JSON')
    .option('--add <element>', 'add to a list')
    .option('--remove <element>', 'remove from a list')
    .option('--unset', 'remove the setting')
    .action(act(async () => (await import('../iterate/config.ts')).config));

  function defineQueue(on: Command): void {
    const add = addTo(on);
    const load = () => import('../iterate/queue.ts');
    const queued = withRunOptions(
      add(
        'add <name>',
        'add a loop to the queue, with the options of its run',
        'queue add my-task --budget-usd 5',
      ),
    );
    queued.action(
      act(async () => {
        const { add: action } = await load();
        return (on: IterateCommand, name: string) => action(on, name, given(queued));
      }),
    );
    add('list', 'list the queue', 'queue list')
      .option('--json', 'print as JSON')
      .action(act(async () => (await load()).list));
    add('remove <name>', 'remove a loop from the queue', 'queue remove my-task').action(
      act(async () => (await load()).remove),
    );
    add(
      'run',
      'run the loops of the queue, one after the other; resumes those that were interrupted',
      'queue run --max-parallel 2',
    )
      .option('--max-parallel <number>', 'how many run at once', atLeastOne, 1)
      // By the keeper, which waits for the report that the work has begun.
      .addOption(new Option('--detached').hideHelp())
      .action(act(async () => (await load()).run));
  }

  function defineTemplate(on: Command): void {
    const add = addTo(on);
    const load = () => import('../iterate/template.ts');
    add('save <workspace> [name]', 'save a workspace as a template', 'template save my-task migration')
      .option('-g, --global', 'save it for all projects of this user')
      .option('-d, --description <text>', 'description of the template')
      .option('-t, --tags <tag,...>', 'tags of the template, separated by commas')
      .option('-e, --estimated-iterations <number>', 'how many iterations it usually takes', atLeastOne)
      .option('-f, --force', 'replace a template of the same name; the old one is kept as <name>.kept-1')
      .action(act(async () => (await load()).save));
    add(
      'use <template> <workspace>',
      'create a workspace from a template',
      'template use migration next-task',
    ).action(act(async () => (await load()).use));
    add('list', 'list the templates', 'template list')
      .alias('ls')
      .option('--json', 'print as JSON')
      .action(act(async () => (await load()).list));
    add('show <template>', 'show a template', 'template show migration')
      .option('--json', 'print as JSON')
      .action(act(async () => (await load()).show));
    add('delete <template>', 'delete a template', 'template delete migration --force')
      .alias('rm')
      .option('-g, --global', 'delete the one for all projects, even if the project has one of this name')
      .option('-f, --force', 'do not ask for confirmation')
      .action(act(async () => (await load()).remove));
  }

  function defineArchive(on: Command): void {
    const add = addTo(on);
    const load = () => import('../iterate/archive.ts');
    add('save <workspace>', 'archive a workspace and remove it', 'archive save my-task --keep')
      .option('--keep', 'keep the workspace')
      .action(act(async () => (await load()).save));
    add('list', 'list the archives', 'archive list')
      .alias('ls')
      .option('--json', 'print as JSON')
      .action(act(async () => (await load()).list));
    add(
      'restore <archive> [workspace]',
      'restore a workspace from an archive',
      'archive restore my-task-2026-01-31T12-00-00',
    ).action(act(async () => (await load()).restore));
    add('show <archive>', 'show the contents of an archive', 'archive show my-task-2026-01-31T12-00-00')
      .option('--json', 'print as JSON')
      .action(act(async () => (await load()).show));
    add('delete <archive>', 'delete an archive', 'archive delete my-task-2026-01-31T12-00-00 --force')
      .alias('rm')
      .option('-f, --force', 'do not ask for confirmation')
      .action(act(async () => (await load()).remove));
  }
}

function number(text: string, fits: (value: number) => boolean, words: string): number {
  const value = /^\d+(?:\.\d+)?$/.test(text) ? Number(text) : Number.NaN;
  if (!fits(value)) throw new InvalidArgumentError(`must be ${words}`);
  return value;
}

const atLeastOne = (text: string): number =>
  number(text, (value) => Number.isInteger(value) && value >= 1, 'a whole number, 1 or more');
const seconds = (text: string): number =>
  number(text, (value) => value >= 0, 'a number of seconds, 0 or more');
const positiveSeconds = (text: string): number =>
  number(text, (value) => value > 0, 'a number of seconds, more than 0');
const minutes = (text: string): number =>
  number(text, (value) => value > 0, 'a number of minutes, more than 0');
const dollars = (text: string): number =>
  number(text, (value) => value > 0, 'an amount in US dollars, more than 0');
