import type { Command } from 'commander';
import { renderRun } from '../../report/render-run.ts';
import type { CliContext } from '../context.ts';
import { readRunHere } from '../read-run.ts';

interface ShowFlags {
  readonly json?: boolean;
  readonly all?: boolean;
}

export function define(command: Command, context: CliContext): void {
  command
    .argument('[run]', 'run id, unique prefix of one, or `last`', 'last')
    .option('--all', 'show every item of long loops')
    .option('--json', 'print the state as JSON: state.json rebuilt from the journal, plus `process_alive`')
    .addHelpText(
      'after',
      '\nExample:\n  orchestrate show last\n  orchestrate show 20260131T12 --json | jq .totals',
    )
    .action((text: string, flags: ShowFlags) => show(context, text, flags));
}

async function show(context: CliContext, text: string, flags: ShowFlags): Promise<void> {
  const run = await readRunHere(context, text);
  if (run === undefined) return;
  const { state, isAlive } = run;
  context.out(
    flags.json === true
      ? `${JSON.stringify({ ...state, process_alive: isAlive }, null, 2)}\n`
      : renderRun(state, {
          color: context.color.stdout,
          now: Date.now(),
          isAlive,
          all: flags.all === true,
        }),
  );
}
