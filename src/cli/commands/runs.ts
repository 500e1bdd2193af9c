import type { Command } from 'commander';
import { agoText, durationText, numberText, spendingText } from '../../model/amounts.ts';
import { firstLimit } from '../../model/open-limits.ts';
import type { RunState } from '../../model/run-state.ts';
import { LISTED_STATUSES, type ListedRun } from '../../operations/runs/list-runs.ts';
import { selectRuns, summaryOf } from '../../operations/runs/select-runs.ts';
import { limitText } from '../../report/text/limit.ts';
import { printableLine } from '../../report/text/printable.ts';
import { runMs, statusText } from '../../report/text/run-words.ts';
import { renderTable } from '../../report/text/table.ts';
import { cutTo } from '../../report/text/width.ts';
import type { CliContext } from '../context.ts';
import { EXIT } from '../exit-codes.ts';
import { printedPath } from '../path-argument.ts';
import { siteWithWorkers } from '../reach-workers.ts';
import { refuse } from '../refuse.ts';
import { wholeNumber } from '../run-options.ts';
import { since } from '../since.ts';

interface RunsFlags {
  readonly json?: boolean;
  readonly kind?: string;
  readonly status?: string;
  readonly workflow?: string;
  readonly since?: Date;
  readonly limit: number;
}

const TITLE_WIDTH = 40;

export function define(command: Command, context: CliContext): void {
  command
    .option('--kind <kind>', 'only runs of this kind: workflow, iterate, session, …')
    .option('--status <status>', `only runs with this status: ${LISTED_STATUSES.join(', ')}`)
    .option('--workflow <name|file>', 'only runs of this workflow', printedPath)
    .option('--since <when>', 'only runs started since then: 30m, 12h, 7d, or a date', since)
    .option('--limit <n>', 'show at most this many, newest first (0: all)', wholeNumber, 50)
    .option('--json', 'print a JSON array')
    .addHelpText(
      'after',
      '\nExample:\n  orchestrate runs --since 7d --status failed\n  orchestrate runs --workflow workflows/ship.yaml --limit 10',
    )
    .action(async (flags: RunsFlags) => {
      context.exitCode = await runs(context, flags);
    });
}

async function runs(context: CliContext, flags: RunsFlags): Promise<number> {
  const selected = selectRuns(await siteWithWorkers(context), flags);
  if (selected.type === 'error') return refuse(context, selected.error);
  const { found, hasMore, isEmpty } = selected.value;
  if (flags.json === true) {
    context.out(`${JSON.stringify(found.map(summaryOf), null, 2)}\n`);
    return EXIT.done;
  }
  if (found.length === 0) {
    context.err(isEmpty ? 'no runs in this folder yet\n' : 'no run matches\n');
    return EXIT.done;
  }
  context.out(table(found, Date.now()));
  if (hasMore) context.err('older runs are not shown; use --limit 0 to show all\n');
  return EXIT.done;
}

function kindOf(state: RunState): string {
  if (typeof state['trial'] === 'string') return `${state.kind} (${printableLine(state['trial'])})`;
  return typeof state['replayed_from'] === 'string' ? `${state.kind} (replayed)` : state.kind;
}

function table(found: readonly ListedRun[], now: number): string {
  const rows = found.map((run) => {
    if (run.type === 'damaged') return [run.runId, 'damaged', '', printableLine(run.reason)];
    const { state } = run;
    return [
      run.runId,
      statusOf(run, now),
      kindOf(state),
      cutTo(printableLine(state.title), TITLE_WIDTH),
      agoText(state.started_at, now),
      durationText(runMs(state, { now, isAlive: run.isAlive })),
      numberText(state.totals.steps_completed + state.totals.steps_failed + state.totals.steps_skipped),
      spendingText(state.totals) ?? '',
    ];
  });
  return renderTable(
    [
      { title: 'RUN' },
      { title: 'STATUS' },
      { title: 'KIND' },
      { title: 'TITLE' },
      { title: 'STARTED' },
      { title: 'TOOK', align: 'right' },
      { title: 'STEPS', align: 'right' },
      { title: 'COST' },
    ],
    rows,
  );
}

/** Includes the usage limit the run is waiting for; of several, the first to end. */
function statusOf({ state, isAlive }: Extract<ListedRun, { type: 'run' }>, now: number): string {
  const status = statusText(state, isAlive);
  const limit = isAlive ? firstLimit(state) : undefined;
  return limit === undefined ? status : `${status} (${limitText(limit, now)})`;
}
