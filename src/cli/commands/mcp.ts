import type { Command } from 'commander';
import type { CliContext } from '../context.ts';
import { EXIT } from '../exit-codes.ts';
import { siteOf } from '../site.ts';
import { outputRefused } from '../standard-output.ts';
import { versionOf } from '../version.ts';

export function define(command: Command, context: CliContext): void {
  command
    .description(
      'Serve phases, tasks, queues and runs of this folder to agents over standard input and output (Model Context Protocol).',
    )
    .addHelpText('after', '\nExample:\n  claude mcp add orchestrate -- orchestrate mcp')
    .action(async () => {
      const { serve } = await import('../../mcp/serve.ts');
      await serve({
        site: { ...siteOf(context), asker: 'agent' },
        version: versionOf(context),
        onBug: (bug) => context.err(`internal error: ${bug instanceof Error ? bug.stack : String(bug)}\n`),
        onLostOutput: (problem) => outputRefused((problem as NodeJS.ErrnoException).code ?? 'EIO'),
      });
      context.exitCode = EXIT.done;
    });
}
