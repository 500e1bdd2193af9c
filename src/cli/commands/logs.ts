import type { Command } from 'commander';

import { agentLogs } from '../../operations/runs/agent-logs.ts';
import { stepKeysIn } from '../../operations/runs/find-step.ts';
import { type LogFile, type LogQuery, logFiles } from '../../operations/runs/log-files.ts';
import { findSteps, LogSteps, type NamedSteps } from '../../operations/runs/log-steps.ts';
import { startsAsJson } from '../../operations/runs/read-log.ts';
import { eventsOf, type RunWithEvents, readRunWithEvents } from '../../operations/runs/read-run.ts';
import { sourceOf } from '../../operations/runs/run-source.ts';
import type { CliContext } from '../context.ts';
import { followLogs } from '../follow-logs.ts';
import { LogPrinter } from '../print-log.ts';
import { siteWithWorkers } from '../reach-workers.ts';
import { printedRun } from '../read-run.ts';
import { refuse } from '../refuse.ts';
import { atLeastOne } from '../run-options.ts';

interface LogsFlags {
  readonly stderr?: boolean;
  readonly prompt?: boolean;
  readonly response?: boolean;
  readonly attempt?: number;
  readonly follow?: boolean;
  readonly raw?: boolean;
}

export function define(command: Command, context: CliContext): void {
  command
    .argument('[run]', 'run id, unique prefix of one, or `last`', 'last')
    .argument('[step]', 'step, loop, item or branch by its key or name (default: all steps)')
    .option('--stderr', 'print stderr instead of stdout')
    .option('--prompt', 'print the prompt sent to an agent')
    .option('--response', 'print the response of an agent, with its cost')
    .option('--attempt <n>', 'only this attempt of the step', atLeastOne)
    .option('--raw', 'print the stream of an agent unchanged')
    .option('-f, --follow', 'keep printing new output until the run stops')
    .addHelpText(
      'after',
      '\nExample:\n  orchestrate logs last Build --stderr\n  orchestrate logs last Plan --follow\n  orchestrate logs last Plan --raw | jq .type',
    )
    .action(async (text: string, step: string | undefined, flags: LogsFlags) => {
      await logs(context, { text, step }, flags);
    });
}

async function logs(
  context: CliContext,
  wanted: { readonly text: string; readonly step: string | undefined },
  flags: LogsFlags,
): Promise<void> {
  const kinds = [flags.stderr, flags.prompt, flags.response].filter((flag) => flag === true);
  if (kinds.length > 1) {
    refuse(context, { type: 'several-log-kinds' });
    return;
  }
  const site = await siteWithWorkers(context, wanted.text);
  const run = printedRun(context, readRunWithEvents(site, wanted.text));
  if (run === undefined) return;
  let named: NamedSteps | undefined;
  if (wanted.step !== undefined) {
    const found = findSteps(run.events, wanted.step);
    if (found.type === 'error') {
      refuse(context, found.error);
      return;
    }
    named = found.value;
  }
  const steps = new LogSteps(() => (flags.follow === true ? eventsOf(run) : run.events));
  const query: LogQuery = {
    kind: flags.stderr ? 'stderr' : flags.prompt ? 'prompt' : flags.response ? 'response' : 'stdout',
    includes: filesOf(named, flags, steps),
    attempt: flags.attempt,
  };
  const printer = printerFor(context, run, flags);
  if (flags.follow === true) {
    const isAlive = async (): Promise<boolean> => {
      // While the database is out of reach, the run may still be running.
      await site.workers?.runs.refresh(run.runId).catch(() => {});
      return sourceOf(site).isAlive(run.runId);
    };
    await followLogs(run, query, { printer, steps, isTitled: named?.isOne !== true, isAlive });
    return;
  }
  const files = logFiles(run.paths, query, stepKeysIn(run.events));
  for (const file of files) {
    if (files.length > 1 && !printer.title(steps.titleOf(file.name))) return;
    if (!printer.print(file) || !printer.end(file)) return;
  }
  if (files.length === 0)
    context.err(nothing({ ...query, step: wanted.step }, logFiles(run.paths, { ...query, kind: 'stderr' })));
}

function printerFor(context: CliContext, run: RunWithEvents, flags: LogsFlags): LogPrinter {
  const isPrintedRaw = flags.raw === true || flags.prompt === true || flags.response === true;
  let agents = agentLogs(run.events);
  return new LogPrinter({
    isTerminal: process.stdout.isTTY === true,
    agentOf(file) {
      if (isPrintedRaw) return undefined;
      const known = agents.get(file.name);
      // A step that has started meanwhile; most logs are not looked up, because they cannot be the stream of an agent.
      if (known !== undefined || flags.follow !== true || !startsAsJson(file.path)) return known;
      agents = agentLogs(eventsOf(run));
      return agents.get(file.name);
    },
    onNothing: ({ name }) => context.err(`note: nothing to show in ${name}; use \`--raw\` to print it\n`),
  });
}

function filesOf(
  named: NamedSteps | undefined,
  flags: LogsFlags,
  steps: LogSteps,
): ((name: string) => boolean) | undefined {
  // The folder of responses has other files of the same calls.
  if (named === undefined && flags.response !== true) return undefined;
  return (name) => {
    const key = steps.keyOf(name);
    return key !== undefined && (named === undefined || named.includes(key));
  };
}

function nothing(
  query: LogQuery & { readonly step: string | undefined },
  stderr: readonly LogFile[],
): string {
  const who = query.step === undefined ? 'the run' : `\`${query.step}\``;
  const what = {
    stdout: 'wrote nothing to stdout',
    stderr: 'wrote nothing to stderr',
    prompt: 'has no prompt',
    response: 'has no response',
  }[query.kind];
  const help =
    query.kind === 'stdout' && stderr.length > 0 ? 'help: it wrote to stderr; use `--stderr`\n' : '';
  return `${who} ${what}\n${help}`;
}
