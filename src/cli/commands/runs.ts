import type { Command } from 'commander';
import { agoText, durationText, numberText, spendingText } from '../../report/text/amounts.ts';
import { firstLimit, limitText } from '../../report/text/limit.ts';
import { printableLine } from '../../report/text/printable.ts';
import { runMs, statusText } from '../../report/text/run-words.ts';
import { renderTable } from '../../report/text/table.ts';
import { cutTo } from '../../report/text/width.ts';
import type { CliContext } from '../context.ts';
import { EXIT } from '../exit-codes.ts';
import { effectiveStatus, LISTED_STATUSES, type ListedRun, listRuns, unknownStatus } from '../list-runs.ts';
import { listRunIds } from '../run-ids.ts';
import { wholeNumber } from '../run-options.ts';

interface RunsFlags {
  readonly json?: boolean;
  readonly kind?: string;
  readonly status?: string;
  readonly limit: number;
}

const TITLE_WIDTH = 40;

export function define(command: Command, context: CliContext): void {
  command
    .option('--kind <kind>', 'only runs of this kind: workflow, iterate, session, …')
    .option('--status <status>', `only runs with this status: ${LISTED_STATUSES.join(', ')}`)
    .option('--limit <n>', 'at most this many, the newest first; 0: all', wholeNumber, 50)
    .option('--json', 'print them as a JSON array')
    .addHelpText('after', '\nExample:\n  orchestrate runs --status failed --limit 10')
    .action((flags: RunsFlags) => {
      context.exitCode = runs(context, flags);
    });
}

function runs(context: CliContext, flags: RunsFlags): number {
  if (flags.status !== undefined && !LISTED_STATUSES.includes(flags.status)) {
    context.err(unknownStatus(flags.status));
    return EXIT.usage;
  }
  const { found, hasMore } = select(context.workspace, flags);
  if (flags.json === true) {
    context.out(`${JSON.stringify(found.map(summaryOf), null, 2)}\n`);
    return EXIT.done;
  }
  if (found.length === 0) {
    const isEmpty = listRunIds(context.workspace).length === 0;
    context.err(isEmpty ? 'there is no run in this folder yet\n' : 'no run is like that\n');
    return EXIT.done;
  }
  context.out(table(found, Date.now()));
  if (hasMore) context.err('there are older ones: --limit 0 shows all\n');
  return EXIT.done;
}

function select(
  workspace: string,
  flags: RunsFlags,
): { readonly found: readonly ListedRun[]; readonly hasMore: boolean } {
  const found: ListedRun[] = [];
  for (const run of listRuns(workspace)) {
    if (flags.status !== undefined && effectiveStatus(run) !== flags.status) continue;
    if (flags.kind !== undefined && (run.type === 'damaged' || run.state.kind !== flags.kind)) continue;
    if (flags.limit > 0 && found.length === flags.limit) return { found, hasMore: true };
    found.push(run);
  }
  return { found, hasMore: false };
}

function table(found: readonly ListedRun[], now: number): string {
  const rows = found.map((run) => {
    if (run.type === 'damaged') return [run.runId, 'damaged', '', printableLine(run.reason)];
    const { state } = run;
    return [
      run.runId,
      statusOf(run, now),
      typeof state['trial'] === 'string' ? `${state.kind} (${printableLine(state['trial'])})` : state.kind,
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

/** With the usage limit that it waits for; of several, the first to end. */
function statusOf({ state, isAlive }: Extract<ListedRun, { type: 'run' }>, now: number): string {
  const status = statusText(state.status, isAlive);
  const limit = isAlive ? firstLimit(state) : undefined;
  return limit === undefined ? status : `${status} (${limitText(limit, now)})`;
}

function summaryOf(run: ListedRun): object {
  if (run.type === 'damaged') return { run_id: run.runId, status: 'damaged', reason: run.reason };
  const { state } = run;
  return {
    run_id: run.runId,
    status: effectiveStatus(run),
    process_alive: run.isAlive,
    kind: state.kind,
    title: state.title,
    workflow_file: state['workflow_file'],
    trial: state['trial'],
    started_at: state.started_at,
    updated_at: state.updated_at,
    completed_at: state.completed_at,
    error: state.error,
    waiting_for: state.waiting_for === undefined ? undefined : Object.keys(state.waiting_for),
    limits: state.limits,
    totals: state.totals,
  };
}
