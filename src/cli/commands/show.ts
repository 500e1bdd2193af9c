import type { Command } from 'commander';
import { defined } from '../../model/defined.ts';
import { type ReadRun, readRun } from '../../operations/runs/read-run.ts';
import type { Site } from '../../operations/site.ts';
import type { RunPlaces } from '../../operations/workers.ts';
import { type RunWorkers, renderRun } from '../../report/render-run.ts';
import type { CliContext } from '../context.ts';
import { siteWithWorkers } from '../reach-workers.ts';
import { printedRun } from '../read-run.ts';

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
  const site = await siteWithWorkers(context, text);
  const run = printedRun(context, readRun(site, text));
  if (run === undefined) return;
  const { state, isAlive } = run;
  const places = await placesOf(site, run);
  context.out(
    flags.json === true
      ? `${JSON.stringify({ ...state, process_alive: isAlive, ...defined({ workers: places }) }, null, 2)}\n`
      : renderRun(state, {
          color: context.color.stdout,
          now: Date.now(),
          isAlive,
          all: flags.all === true,
          ...(places === undefined ? {} : { workers: workersIn(places) }),
        }),
  );
}

/** Undefined for a run of this machine. */
async function placesOf(
  { workers }: Site,
  { runId }: Pick<ReadRun, 'runId'>,
): Promise<RunPlaces | undefined> {
  if (workers?.runs.has(runId) !== true) return undefined;
  const places = await workers.workersOf(runId);
  return places.type === 'ok' ? places.value : undefined;
}

function workersIn({ host, steps }: RunPlaces): RunWorkers {
  return { ...defined({ host }), names: [...new Set(Object.values(steps))].sort() };
}
