import { useNative } from '../../host/use-native.ts';
import { nearest } from '../../model/suggest.ts';
import type { ImportModule } from '../../operations/site.ts';
import { type CliContext, createContext } from '../context.ts';
import { EXIT } from '../exit-codes.ts';
import { MARKS } from '../marks.ts';
import { createRoot, exitCodeOfThrown } from '../root-command.ts';
import { leaveCode } from '../site.ts';
import { lostOutput } from '../standard-output.ts';
import { sentence } from '../subcommands.ts';
import { COMMANDS } from './commands.ts';

export interface Launch {
  readonly program: 'orchestrate' | 'claude-iterate';
  readonly argv: readonly string[];
  readonly dist: string;
  /** `import()` of modules of the user. */
  readonly importModule: ImportModule;
}

const DESCRIPTION =
  'Runs coding agents as durable, resumable, inspectable work whose whole state is plain files.';
const EXAMPLE = '\nExample:\n  orchestrate demo\n  orchestrate run workflows/ship.yaml --context issue=42';

/** Runs a command and returns the exit code of the process. */
export async function main(launch: Launch): Promise<number> {
  useNative(launch.dist);
  const exitCode = await call(launch);
  leaveCode();
  return exitCode;
}

async function call(launch: Launch): Promise<number> {
  const { dist, importModule } = launch;
  const context = createContext(
    { dist, importModule },
    { call: (argv) => call({ ...launch, program: 'orchestrate', argv }), commands: COMMANDS },
  );
  const exitCode = await runCommand(context, launch);
  const lost = lostOutput();
  if (lost === undefined) return exitCode;
  const { errnoWords } = await import('../../model/describe-failure.ts');
  context.err(
    `error: standard output is incomplete: ${errnoWords(lost)}\nhelp: redirect it to a file or device that can be written\n`,
  );
  return exitCode === EXIT.done ? EXIT.failed : exitCode;
}

async function runCommand(context: CliContext, launch: Launch): Promise<number> {
  if (launch.program === 'claude-iterate') {
    return (await import('./claude-iterate.ts')).claudeIterate(context, launch.argv);
  }
  const argv = asHelpFlag(launch.argv);
  const name = argv[commandAt(argv)];
  const entry = name === undefined || !Object.hasOwn(COMMANDS, name) ? undefined : COMMANDS[name];
  if (name !== undefined && name !== 'help' && entry === undefined) return unknownCommand(context, name);
  const marks = entry?.marks ?? MARKS.runs;
  const root = createRoot(context, { name: 'orchestrate', description: DESCRIPTION, marks }).addHelpText(
    'after',
    EXAMPLE,
  );
  try {
    // Define only the command that is called, which is faster; `--help` lists all of them.
    for (const [other, { summary, group, isHidden }] of Object.entries(
      entry === undefined ? COMMANDS : { [name ?? '']: entry },
    )) {
      const command = root
        .command(other, { hidden: isHidden === true })
        .helpGroup(`${group}:`)
        .summary(summary)
        .description(sentence(summary));
      if (entry === undefined) continue;
      command.showHelpAfterError(`(see \`orchestrate ${other} --help\`)`);
      (await entry.load()).define(command, context);
    }
    await root.parseAsync(argv, { from: 'user' });
    return context.exitCode;
  } catch (problem) {
    return exitCodeOfThrown(context, problem);
  }
}

/** `help run` means `run --help`. */
function asHelpFlag(argv: readonly string[]): readonly string[] {
  const at = commandAt(argv);
  return argv[at] === 'help' && at + 1 < argv.length ? [...argv.toSpliced(at, 1), '--help'] : argv;
}

/** Where the name of the command is: after options of the program, of which only `-C` has a value. */
function commandAt(argv: readonly string[]): number {
  return argv.findIndex((word, index) => !word.startsWith('-') && argv[index - 1] !== '-C');
}

function unknownCommand(context: CliContext, name: string): number {
  const near = nearest(name, Object.keys(COMMANDS));
  const hint =
    near === undefined ? '`orchestrate --help` lists the commands' : `did you mean \`orchestrate ${near}\`?`;
  context.err(`error: unknown command \`${name}\`\nhelp: ${hint}\n`);
  return EXIT.usage;
}
