import type { Command } from 'commander';
import type { CliContext } from '../context.ts';
import { archive, complete, fail, next, reconcileNow, retry, start } from '../phases/change.ts';
import { create } from '../phases/create.ts';
import { run } from '../phases/run.ts';
import { show } from '../phases/show.ts';
import { addOutputOptions, addTrustOption, collect } from '../run-options.ts';
import { subcommandsOf } from '../subcommands.ts';

export function define(command: Command, context: CliContext): void {
  const add = subcommandsOf(command);
  const changing = (usage: string, summary: string, example: string): Command =>
    add(usage, summary, example).option('--json', 'print the phase as JSON');

  command.addHelpText(
    'after',
    '\nExample:\n  orchestrate phases create "Write a calculator" --phase "Write it::engineer" --phase "Test it::tester"\n  orchestrate phases run',
  );
  addOutputOptions(
    addTrustOption(
      add(
        'create <task>',
        'split a task into phases',
        'orchestrate phases create "Write a calculator" --phase "Write it::engineer" --phase "Test it"',
      )
        .option('--phase <title::agent>', 'a phase, and who does it; once for each', collect)
        .option('--file <file>', 'take the phases from a JSON or YAML file: a list of `title` and `agent`')
        .option('--plan', 'let an agent split it')
        .option('--agent <name>', 'of `--plan`: claude, gemini, codex, mock, or a command line', 'claude')
        .option('--archive', 'put away the workflow that is here already'),
    ),
  ).action(async (task: string, flags) => {
    context.exitCode = await create(context, task, flags);
  });
  add('show', 'show the phases, and what hooks have missed', 'orchestrate phases show')
    .option('--json', 'print workflow.json, with `reconcile` and `todos`')
    .action((flags) => {
      context.exitCode = show(context, flags);
    });
  changing('start [phase]', 'begin a phase, or the next one', 'orchestrate phases start phase_0').action(
    async (phase: string | undefined, flags) => {
      context.exitCode = await start(context, phase, flags);
    },
  );
  changing(
    'complete <phase>',
    'end a phase well; the next one begins',
    'orchestrate phases complete phase_0 --deliverable calculator.py --context "four functions"',
  )
    .option('--deliverable <text>', 'a file or another result; once for each', collect)
    .option('--context <text>', 'what the next phase must know')
    .action(async (phase: string, flags) => {
      context.exitCode = await complete(context, phase, flags);
    });
  changing(
    'fail <phase>',
    'end a phase badly; the workflow stands still',
    'orchestrate phases fail phase_1 --error "tests do not pass"',
  )
    .option('--error <text>', 'why')
    .action(async (phase: string, flags) => {
      context.exitCode = await fail(context, phase, flags);
    });
  changing(
    'next',
    'print the active phase, after beginning one if none is',
    'orchestrate phases next',
  ).action(async (flags) => {
    context.exitCode = await next(context, flags);
  });
  changing('retry <phase>', 'begin a failed phase again', 'orchestrate phases retry phase_1').action(
    async (phase: string, flags) => {
      context.exitCode = await retry(context, phase, flags);
    },
  );
  add('archive', 'put the workflow away', 'orchestrate phases archive').action(async () => {
    context.exitCode = await archive(context);
  });
  add(
    'reconcile',
    "close what hooks have missed, as the agent's transcript tells",
    'orchestrate phases reconcile',
  )
    .option('--transcript <file>', 'of the session; the one that a hook named last where absent')
    .option('--json', 'print the changes as JSON')
    .action(async (flags) => {
      context.exitCode = await reconcileNow(context, flags);
    });
  addOutputOptions(
    addTrustOption(
      add('run', 'let an agent work through the phases', 'orchestrate phases run --agent claude')
        .option('--agent <name>', 'claude, gemini, codex, mock, or a command line', 'claude')
        .option('--model <name>', 'the model; that of the role where absent')
        .option('--permissions <mode>', '`default`, or `bypass`: the agent asks nobody', 'default')
        .option('--retries <n>', 'how often a phase is tried again that was cut off', '2')
        .option('--timeout <seconds>', 'the longest a phase may take'),
    ),
  ).action(async (flags) => {
    context.exitCode = await run(context, flags);
  });
}
