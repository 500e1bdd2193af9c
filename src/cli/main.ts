import { Command, CommanderError } from 'commander';
import { nearest } from '../model/suggest.ts';
import { COMMANDS } from './commands.ts';
import { type CliContext, createContext } from './context.ts';
import { EXIT } from './exit-codes.ts';

export interface Launch {
  readonly program: 'orchestrate' | 'claude-iterate';
  readonly argv: readonly string[];
  readonly dist: string;
}

/** Answers with the exit code of the process. */
export async function main(launch: Launch): Promise<number> {
  const context = createContext(launch.dist);
  if (launch.program === 'claude-iterate') {
    return (await import('./iterate/main.ts')).claudeIterate(context, launch.argv);
  }
  const argv = asHelpFlag(launch.argv);
  const name = argv.find((word) => !word.startsWith('-'));
  const entry = name === undefined || !Object.hasOwn(COMMANDS, name) ? undefined : COMMANDS[name];
  if (name !== undefined && name !== 'help' && entry === undefined) return unknownCommand(context, name);
  const root = createRoot(context);
  try {
    // Only the command that is called, which is quicker; all of them for the list of `--help`.
    for (const [other, { summary, group }] of Object.entries(
      entry === undefined ? COMMANDS : { [name ?? '']: entry },
    )) {
      const command = root
        .command(other)
        .helpGroup(`${group}:`)
        .summary(summary)
        .description(sentence(summary));
      if (entry === undefined) continue;
      command.showHelpAfterError(`(orchestrate ${other} --help shows how it is used)`);
      (await entry.load()).define(command, context);
    }
    await root.parseAsync(argv, { from: 'user' });
    return context.exitCode;
  } catch (problem) {
    if (problem instanceof CommanderError) return problem.exitCode === 0 ? EXIT.done : EXIT.usage;
    const refusal = (await import('./disk-refusal.ts')).describeRefusal(problem);
    if (refusal !== undefined) {
      context.err(`error: ${refusal.message}\nhelp: ${refusal.help}\n`);
      return EXIT.failed;
    }
    context.err(`internal error: ${problem instanceof Error ? problem.stack : String(problem)}\n`);
    return EXIT.bug;
  }
}

/** `help run` is `run --help`. */
function asHelpFlag(argv: readonly string[]): readonly string[] {
  return argv[0] === 'help' && argv.length > 1 ? [...argv.slice(1), '--help'] : argv;
}

function createRoot(context: CliContext): Command {
  return new Command('orchestrate')
    .description(
      'Runs coding agents as durable, resumable, inspectable work whose whole state is plain files.',
    )
    .version('', '-V, --version', 'print the version')
    .exitOverride()
    .configureOutput({
      writeOut: (text) => context.out(text),
      writeErr: (text) => context.err(text),
      getOutHasColors: () => context.color.stdout,
      getErrHasColors: () => context.color.stderr,
    })
    .addHelpText(
      'after',
      '\nExample:\n  orchestrate demo\n  orchestrate run workflows/ship.yaml --context issue=42',
    );
}

function unknownCommand(context: CliContext, name: string): number {
  const near = nearest(name, Object.keys(COMMANDS));
  const hint =
    near === undefined ? 'orchestrate --help lists the commands' : `did you mean \`orchestrate ${near}\`?`;
  context.err(`error: there is no command \`${name}\`\nhelp: ${hint}\n`);
  return EXIT.usage;
}

function sentence(summary: string): string {
  return `${summary.charAt(0).toUpperCase()}${summary.slice(1)}.`;
}
