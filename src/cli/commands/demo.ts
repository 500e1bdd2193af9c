/**
 * A whole multi-agent workflow, played by the mock agent: the example `team`, run with the commands that a person would type, one
 * after the other and shown as they are run. It works in an empty folder and touches no other.
 */
import fs from 'node:fs';
import path from 'node:path';
import type { Command } from 'commander';
import { setDemoStage } from '../../operations/projects/demo-stage.ts';
import type { CliContext } from '../context.ts';
import { EXIT } from '../exit-codes.ts';
import { refuse } from '../refuse.ts';
import { siteOf } from '../site.ts';

interface DemoFlags {
  readonly dir?: string;
}

interface Act {
  readonly says: string;
  readonly argv: readonly string[];
  readonly exitCode: number;
}

const ACTS: readonly Act[] = [
  {
    says: 'An architect, an engineer and QA work through their inboxes, until a person has to decide.',
    argv: ['run', 'team.yaml'],
    exitCode: EXIT.waiting,
  },
  {
    says: 'A run that waits needs no process. The answer, which the demo gives in your place:',
    argv: ['approve', 'last', 'Release', '--choose', 'ship', '--comment', 'QA has passed it', '--by', 'demo'],
    exitCode: EXIT.done,
  },
  {
    says: 'It goes on from its journal; what is done is not done again:',
    argv: ['resume', 'last'],
    exitCode: EXIT.done,
  },
  {
    says: 'A report of it all:',
    argv: ['report', 'last', '--format', 'html', '--output', 'report.html'],
    exitCode: EXIT.done,
  },
  {
    says: '',
    argv: ['report', 'last', '--format', 'md', '--output', 'report.md'],
    exitCode: EXIT.done,
  },
];

export function define(command: Command, context: CliContext): void {
  command
    .option('--dir <folder>', 'where to play it: a new or empty folder (default: a new temporary one)')
    .addHelpText('after', '\nExample:\n  orchestrate demo --dir my-team')
    .action(async (flags: DemoFlags) => {
      context.exitCode = await demo(context, flags);
    });
}

async function demo(context: CliContext, flags: DemoFlags): Promise<number> {
  const example = path.join(context.dist, '..', 'examples', 'team');
  const stage = setDemoStage(siteOf(context), { dir: flags.dir, example });
  if (stage.type === 'error') return refuse(context, stage.error);
  const folder = stage.value;
  process.chdir(folder);
  context.err(`In ${folder}:\n`);
  for (const { says, argv, exitCode } of ACTS) {
    context.err(`${says === '' ? '' : `\n${says}\n`}${typed(context, argv)}\n`);
    const code = await context.call(argv);
    if (code === exitCode) continue;
    // A signal of the person who watches.
    if (code > 128) return code;
    context.err(`\nerror: that was to end with exit code ${exitCode}, and ended with ${code}\n`);
    return code === EXIT.done ? EXIT.failed : code;
  }
  context.out(closing(folder, example));
  return EXIT.done;
}

function typed(context: CliContext, argv: readonly string[]): string {
  const line = `$ orchestrate ${argv.map((word) => (/\s/.test(word) ? `"${word}"` : word)).join(' ')}`;
  return context.color.stderr ? `\x1b[1m${line}\x1b[0m` : line;
}

function closing(folder: string, example: string): string {
  return `
All of it lies in ${folder}
  report.html  report.md   what ran, how long, what it cost, what it made
  release/                 what the team made
  processed/               the tasks they worked through
  .orchestrate/runs/       the journal, the state, every log, prompt and answer

Look around there:
  orchestrate show last
  orchestrate logs last Finish/proof/Try
  orchestrate explain last SentBack

The same with a real agent, which costs money and writes files without asking:
  cp -r ${example} my-team && cd my-team
  orchestrate run team.yaml --agent claude
${isInstalled() ? '' : `\n\`orchestrate\` stands for \`node ${process.argv[1]}\`: it is not on your PATH.\n`}`;
}

function isInstalled(): boolean {
  return (process.env['PATH'] ?? '')
    .split(path.delimiter)
    .some((folder) => folder !== '' && fs.existsSync(path.join(folder, 'orchestrate')));
}
