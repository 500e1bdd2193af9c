/**
 * Runs the example `team`, a complete multi-agent workflow, with the mock agent. It runs the commands a user would type and prints
 * each of them. It works in an empty folder and touches no other.
 */
import fs from 'node:fs';
import path from 'node:path';
import type { Command } from 'commander';
import { setDemoStage } from '../../operations/projects/demo-stage.ts';
import type { CliContext } from '../context.ts';
import { EXIT } from '../exit-codes.ts';
import { path as ofUser } from '../path-argument.ts';
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
    says: 'An architect, an engineer and QA work through their inboxes until a person has to decide.',
    argv: ['run', 'team.yaml'],
    exitCode: EXIT.waiting,
  },
  {
    says: 'A waiting run needs no process. The demo answers for you:',
    argv: ['approve', 'last', 'Release', '--choose', 'ship', '--comment', 'QA has passed it', '--by', 'demo'],
    exitCode: EXIT.done,
  },
  {
    says: 'Resume the run from its journal; completed steps do not run again:',
    argv: ['resume', 'last'],
    exitCode: EXIT.done,
  },
  {
    says: 'Write a report of the run:',
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
    .option('--dir <folder>', 'new or empty folder to run it in (default: a new temporary folder)', ofUser)
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
    // The user interrupted it.
    if (code > 128) return code;
    context.err(`\nerror: expected exit code ${exitCode}, got ${code}\n`);
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
Everything is in ${folder}
  report.html  report.md   what ran, how long it took, what it cost, what it wrote
  release/                 what the team produced
  processed/               the completed tasks
  .orchestrate/runs/       journal, state, and every log, prompt and answer

Look around in that folder:
  orchestrate show last
  orchestrate logs last Finish/proof/Try
  orchestrate explain last SentBack
  orchestrate serve --open                 the same on a page in your browser

Run it with a real agent (this costs money, and the agent writes files without asking):
  cp -r ${example} my-team && cd my-team
  orchestrate run team.yaml --agent claude
${isInstalled() ? '' : `\n\`orchestrate\` is not on your PATH: type \`node ${process.argv[1]}\` instead.\n`}`;
}

function isInstalled(): boolean {
  return (process.env['PATH'] ?? '')
    .split(path.delimiter)
    .some((folder) => folder !== '' && fs.existsSync(path.join(folder, 'orchestrate')));
}
