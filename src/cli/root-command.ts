import { Command, CommanderError } from 'commander';
import type { CliContext } from './context.ts';
import { EXIT } from './exit-codes.ts';

/** The root of both programs: it throws instead of exiting, and prints through the context. */
export function createRoot(context: CliContext, name: string, description: string): Command {
  return new Command(name)
    .description(description)
    .version('', '-V, --version', 'print the version')
    .exitOverride()
    .configureOutput({
      writeOut: (text) => context.out(text),
      writeErr: (text) => context.err(text),
      getOutHasColors: () => context.color.stdout,
      getErrHasColors: () => context.color.stderr,
    });
}

/** Reports what a command threw, and returns the exit code. */
export async function exitCodeOfThrown(context: CliContext, problem: unknown): Promise<number> {
  if (problem instanceof CommanderError) return problem.exitCode === 0 ? EXIT.done : EXIT.usage;
  const refused = (await import('../operations/disk-problem.ts')).diskProblem(problem);
  if (refused !== undefined) return (await import('./refuse.ts')).refuse(context, refused);
  context.err(`internal error: ${problem instanceof Error ? problem.stack : String(problem)}\n`);
  return EXIT.bug;
}
