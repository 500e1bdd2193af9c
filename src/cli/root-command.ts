import { Command, CommanderError, Option } from 'commander';
import type { CliContext } from './context.ts';
import { enterFolder, enterWorkspace } from './enter-workspace.ts';
import { EXIT } from './exit-codes.ts';

export interface Root {
  readonly name: string;
  readonly description: string;
  /** By which the workspace is recognized from a subfolder; none if the command works in the current folder. */
  readonly marks: readonly string[];
}

/** The root of both programs: it throws instead of exiting, and prints through the context. */
export function createRoot(context: CliContext, { name, description, marks }: Root): Command {
  return new Command(name)
    .description(description)
    .version('', '-V, --version', 'print the version')
    .addOption(
      new Option('-C <folder>', 'run as if started in this folder (repeatable)').argParser(enterFolder),
    )
    .configureHelp({
      showGlobalOptions: true,
      visibleGlobalOptions: (command) =>
        rootOf(command) === command ? [] : rootOf(command).options.filter(({ short }) => short === '-C'),
    })
    .hook('preAction', (_root, called) => enterWorkspace(context, called, marks))
    .exitOverride()
    .configureOutput({
      writeOut: (text) => context.out(text),
      writeErr: (text) => context.err(text),
      outputError: (text, write) => write(inOurWords(text)),
      getOutHasColors: () => context.color.stdout,
      getErrHasColors: () => context.color.stderr,
    });
}

/** The library's words for an argument of a command. */
const INVALID_ARGUMENT = /^error: command-argument value '(.*)' is invalid for argument '(.*)'\./;
/** Its words for what is wrong with a value: a sentence of their own. */
const INVALID_VALUE = /^(error: .*?' is invalid)\. (\S)(.*?)\.?\n$/s;

function inOurWords(text: string): string {
  return text
    .replace(INVALID_ARGUMENT, "error: argument '$2' '$1' is invalid.")
    .replace(INVALID_VALUE, (_, start, first, rest) => `${start}: ${first.toLowerCase()}${rest}\n`);
}

/** Reports what a command threw, and returns the exit code. */
export async function exitCodeOfThrown(context: CliContext, problem: unknown): Promise<number> {
  if (problem instanceof CommanderError) return problem.exitCode === 0 ? EXIT.done : EXIT.usage;
  const refused = (await import('../operations/disk-problem.ts')).diskProblem(problem);
  if (refused !== undefined) return (await import('./refuse.ts')).refuse(context, refused);
  context.err(`internal error: ${problem instanceof Error ? problem.stack : String(problem)}\n`);
  return EXIT.bug;
}

function rootOf(command: Command): Command {
  return command.parent === null ? command : rootOf(command.parent);
}
