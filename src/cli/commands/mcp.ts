import { join } from 'node:path';
import type { Command } from 'commander';
import { defined } from '../../model/defined.ts';
import type { CliContext } from '../context.ts';
import { EXIT } from '../exit-codes.ts';
import { refuse } from '../refuse.ts';
import { siteOfServer } from '../site.ts';
import { outputRefused } from '../standard-output.ts';
import { versionOf } from '../version.ts';

interface McpFlags {
  readonly readOnly?: boolean;
  readonly allow?: readonly string[];
  readonly only?: readonly string[];
}

export function define(command: Command, context: CliContext): void {
  command
    .description(
      'Serve phases, tasks, queues and runs of this folder to agents over standard input and output (Model Context Protocol).',
    )
    .option('--read-only', 'offer only tools that change nothing')
    .option('--allow <tools>', 'also offer tools that are off by default: run_approve, clean', list)
    .option('--only <tools>', 'offer exactly these tools, separated by commas', list)
    .addHelpText(
      'after',
      '\nExample:\n  claude mcp add orchestrate -- orchestrate mcp\n  orchestrate mcp --only workflow_get,phase_complete,phase_fail',
    )
    .action(async (flags: McpFlags) => {
      context.exitCode = await mcp(context, flags);
    });
}

/** `a,b c`; the option may be repeated. */
function list(text: string, before: readonly string[] = []): readonly string[] {
  return [...before, ...text.split(/[\s,]+/).filter((name) => name !== '')];
}

async function mcp(context: CliContext, { readOnly, allow, only }: McpFlags): Promise<number> {
  const { offeredTools } = await import('../../mcp/offered.ts');
  const tools = offeredTools(defined({ readOnly, allow, only }));
  if (tools.type === 'error') return refuse(context, tools.error);
  const { serve } = await import('../../mcp/serve.ts');
  const { startDetachedRun } = await import('../../host/carrying/start-detached-run.ts');
  const site = siteOfServer(context, { asker: 'agent' });
  await serve({
    site,
    tools: tools.value,
    start: (prepared) =>
      startDetachedRun(prepared, {
        site,
        program: [process.execPath, join(context.dist, '..', 'bin', 'orchestrate.js')],
      }),
    version: versionOf(context),
    onBug: (bug) => context.err(`internal error: ${bug instanceof Error ? bug.stack : String(bug)}\n`),
    onLostOutput: (problem) => outputRefused((problem as NodeJS.ErrnoException).code ?? 'EIO'),
  });
  site.codeProcesses?.close();
  return EXIT.done;
}
