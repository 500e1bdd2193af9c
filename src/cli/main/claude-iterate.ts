import { define } from '../commands/iterate.ts';
import type { CliContext } from '../context.ts';
import { EXIT } from '../exit-codes.ts';
import { contractCode } from '../iterate/exit-code.ts';
import { MARKS } from '../marks.ts';
import { createRoot, exitCodeOfThrown } from '../root-command.ts';

/** `claude-iterate …`: the same commands under their own name and with their own exit codes. */
export async function claudeIterate(context: CliContext, argv: readonly string[]): Promise<number> {
  const root = createRoot(context, {
    name: 'claude-iterate',
    description: 'Runs an agent in a loop until a task is complete.',
    marks: MARKS.loops,
  });
  try {
    define(root, context);
    await root.parseAsync([...argv], { from: 'user' });
    // Its own contract has no code for waiting.
    return context.exitCode === EXIT.waiting ? EXIT.done : contractCode(context.exitCode);
  } catch (problem) {
    return contractCode(await exitCodeOfThrown(context, problem));
  }
}
