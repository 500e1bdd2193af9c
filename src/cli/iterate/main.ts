import { Command, CommanderError } from 'commander';
import { define } from '../commands/iterate.ts';
import type { CliContext } from '../context.ts';
import { EXIT } from '../exit-codes.ts';
import { contractCode } from './site/exit-code.ts';
import { refuse } from './site/site.ts';

/** `claude-iterate …`: the same commands under their own name and with their own exit codes. */
export async function claudeIterate(context: CliContext, argv: readonly string[]): Promise<number> {
  const root = new Command('claude-iterate')
    .description('Autonomous loops of an agent over one task.')
    .version('', '-V, --version', 'print the version')
    .exitOverride()
    .configureOutput({
      writeOut: (text) => context.out(text),
      writeErr: (text) => context.err(text),
      getOutHasColors: () => context.color.stdout,
      getErrHasColors: () => context.color.stderr,
    });
  try {
    define(root, context);
    await root.parseAsync([...argv], { from: 'user' });
    return contractCode(context.exitCode);
  } catch (problem) {
    if (problem instanceof CommanderError) return problem.exitCode === 0 ? EXIT.done : EXIT.failed;
    const refusal = (await import('../disk-refusal.ts')).describeRefusal(problem);
    if (refusal !== undefined) refuse(context, refusal.message, refusal.help);
    else context.err(`internal error: ${problem instanceof Error ? problem.stack : String(problem)}\n`);
    return EXIT.failed;
  }
}
