import { type Command, Option } from 'commander';
import type { CliContext } from '../context.ts';
import { path } from '../path-argument.ts';
import { archive, complete, fail, next, reconcileNow, reopen, retry, start } from '../phases/change.ts';
import { create } from '../phases/create.ts';
import { run } from '../phases/run.ts';
import { show } from '../phases/show.ts';
import { addEngineOption, addOutputOptions, addTrustOption, collect } from '../run-options.ts';
import { withEngine } from '../running/uses-workers.ts';
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
        .option('--phase <title::agent>', 'title of a phase and the agent that does it (repeatable)', collect)
        .option(
          '--file <file>',
          'read the phases from a JSON or YAML file: a list of `title` and `agent`',
          path,
        )
        .option('--plan', 'let an agent split the task')
        .option(
          '--agent <name>',
          'agent for `--plan`: claude, gemini, codex, opencode, copilot, qwen, mock, or a command line',
          'claude',
        )
        .option('--archive', 'archive the existing workflow first'),
    ),
  ).action(async (task: string, flags) => {
    context.exitCode = await create(context, task, flags);
  });
  add('show', 'show the phases, and changes that hooks missed', 'orchestrate phases show')
    .option('--json', 'print workflow.json, with `reconcile` and `todos`')
    .action((flags) => {
      context.exitCode = show(context, flags);
    });
  changing(
    'start [phase]',
    'start a phase (default: the next one)',
    'orchestrate phases start phase_0',
  ).action(async (phase: string | undefined, flags) => {
    context.exitCode = await start(context, phase, flags);
  });
  changing(
    'complete <phase>',
    'mark a phase completed and start the next one',
    'orchestrate phases complete phase_0 --deliverable calculator.py --context "four functions"',
  )
    .option('--deliverable <text>', 'file or other result of the phase (repeatable)', collect)
    .option('--context-for-next <text>', 'information for the next phase (also: `--context`)')
    .addOption(new Option('--context <text>').hideHelp())
    .action(async (phase: string, flags) => {
      context.exitCode = await complete(context, phase, flags);
    });
  changing(
    'fail <phase>',
    'mark a phase failed; stops the workflow',
    'orchestrate phases fail phase_1 --error "tests do not pass"',
  )
    .option('--error <text>', 'reason for the failure')
    .action(async (phase: string, flags) => {
      context.exitCode = await fail(context, phase, flags);
    });
  changing(
    'next',
    'print the active phase and its context; start the next one if none is active',
    'orchestrate phases next',
  ).action(async (flags) => {
    context.exitCode = await next(context, flags);
  });
  changing('retry <phase>', 'start a failed phase again', 'orchestrate phases retry phase_1').action(
    async (phase: string, flags) => {
      context.exitCode = await retry(context, phase, flags);
    },
  );
  changing(
    'reopen <phase>',
    'undo the completion of a phase: it is active again',
    'orchestrate phases reopen phase_0',
  ).action(async (phase: string, flags) => {
    context.exitCode = await reopen(context, phase, flags);
  });
  add('archive', 'archive the workflow', 'orchestrate phases archive').action(async () => {
    context.exitCode = await archive(context);
  });
  add(
    'reconcile',
    "apply changes that hooks missed, from the agent's transcript",
    'orchestrate phases reconcile',
  )
    .option('--transcript <file>', 'transcript of the session (default: the last one a hook reported)', path)
    .option('--json', 'print the changes as JSON')
    .action(async (flags) => {
      context.exitCode = await reconcileNow(context, flags);
    });
  addEngineOption(
    addOutputOptions(
      addTrustOption(
        add('run', 'let an agent work through the phases', 'orchestrate phases run --agent claude')
          .option(
            '--agent <name>',
            'claude, gemini, codex, opencode, copilot, qwen, mock, or a command line',
            'claude',
          )
          .option('--model <name>', 'model (default: the model of the role)')
          .option(
            '--permissions <mode>',
            '`default`, or `bypass`: work without permission prompts',
            'default',
          )
          .option('--retries <n>', 'how often to retry a phase that was interrupted', '2')
          .option('--timeout <seconds>', 'time limit for each phase'),
      ),
    ),
  ).action(async (flags) => {
    context.exitCode = await run(context, await withEngine(context, flags));
  });
}
