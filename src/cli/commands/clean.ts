import { type Command, Option } from 'commander';
import { agoText, countText, numberText } from '../../model/amounts.ts';
import { defined } from '../../model/defined.ts';

import { describeProblem } from '../../operations/describe-problem.ts';
import { CLEANED, CLEANED_AFTER_DAYS, chooseOldRuns, removeRun } from '../../operations/runs/clean-runs.ts';
import { keptRunText } from '../../operations/runs/kept-run-text.ts';
import { effectiveStatus, type ListedRun } from '../../operations/runs/list-runs.ts';
import { tidyStaleWork } from '../../operations/runs/own-worktrees.ts';
import { startOf } from '../../operations/runs/run-ids.ts';
import type { Site } from '../../operations/site.ts';
import { printableLine } from '../../report/text/printable.ts';
import type { CliContext } from '../context.ts';
import { EXIT } from '../exit-codes.ts';
import { siteWithWorkers } from '../reach-workers.ts';
import { refuse } from '../refuse.ts';
import { collect, wholeNumber } from '../run-options.ts';
import { age } from '../since.ts';

interface CleanFlags {
  readonly olderThan: number;
  readonly keep?: number;
  readonly status?: readonly string[];
  readonly dryRun?: boolean;
  readonly force?: boolean;
}

export function define(command: Command, context: CliContext): void {
  command
    .addOption(
      new Option('--older-than <age>', 'only runs started longer ago than this: 90m, 12h, 30d, 4w')
        .argParser(age)
        .default(age(`${CLEANED_AFTER_DAYS}d`), `${CLEANED_AFTER_DAYS}d`),
    )
    .option('--keep <n>', 'keep the newest n runs regardless of age', wholeNumber)
    .option(
      '--status <status>',
      `only runs with this status (repeatable; default: ${CLEANED.join(', ')})`,
      collect,
    )
    .option('--dry-run', 'show what would be removed and change nothing')
    .option('-f, --force', 'do not ask for confirmation')
    .addHelpText('after', '\nExample:\n  orchestrate clean --older-than 7d --keep 20 --dry-run')
    .action(async (flags: CleanFlags) => {
      context.exitCode = await clean(context, flags);
    });
}

async function clean(context: CliContext, flags: CleanFlags): Promise<number> {
  const site = await siteWithWorkers(context);
  try {
    return await cleanIn(context, site, flags);
  } finally {
    await site.workers?.close();
  }
}

async function cleanIn(context: CliContext, site: Site, flags: CleanFlags): Promise<number> {
  const found = chooseOldRuns(site, {
    olderThanMs: flags.olderThan,
    ...defined({ keep: flags.keep, statuses: flags.status }),
  });
  if (found.type === 'error') return refuse(context, found.error);
  const chosen = found.value;
  const stale = flags.dryRun === true ? 0 : await tidyStaleWork(site);
  if (stale > 0) context.err(`removed what ${countText(stale, 'removed run')} left in git\n`);
  if (chosen.length === 0) {
    if (stale === 0) context.err('nothing to remove\n');
    return EXIT.done;
  }
  for (const run of chosen) context.out(`${lineFor(run, Date.now())}\n`);
  const runs = countText(chosen.length, 'run');
  if (flags.dryRun === true) {
    context.err(`${runs} would be removed\n`);
    return EXIT.done;
  }
  if (flags.force !== true) {
    const { confirm } = await import('../confirm.ts');
    const isSure = await confirm(`remove ${runs}?`);
    if (isSure === undefined) {
      return refuse(context, { type: 'cannot-ask', removing: runs });
    }
    if (!isSure) {
      context.err('nothing was removed\n');
      return EXIT.done;
    }
  }
  return await removeAll(context, site, chosen);
}

async function removeAll(context: CliContext, site: Site, chosen: readonly ListedRun[]): Promise<number> {
  let removed = 0;
  let exitCode: number = EXIT.done;
  let reportedAt = Date.now();
  for (const run of chosen) {
    if (process.stderr.isTTY && Date.now() - reportedAt > 500) {
      reportedAt = Date.now();
      context.err(`removed ${numberText(removed)} of ${countText(chosen.length, 'run')} …\n`);
    }
    const done = await removeRun(site, run);
    if (done.type === 'error') {
      exitCode = EXIT.failed;
      context.err(`error: ${describeProblem(done.error).message}\n`);
    } else if (done.value.type === 'removed') {
      removed += 1;
      if (done.value.left !== undefined) exitCode = refuse(context, done.value.left);
      for (const branch of done.value.branches)
        context.err(`note: branch \`${branch}\` was kept: its work is not merged\n`);
    } else {
      context.err(`note: run \`${run.runId}\` was kept: ${printableLine(keptRunText(done.value))}\n`);
    }
  }
  context.err(`removed ${countText(removed, 'run')}\n`);
  return exitCode;
}

function lineFor(run: ListedRun, now: number): string {
  const title = run.type === 'damaged' ? run.reason : run.state.title;
  const started = agoText(new Date(startOf(run)).toISOString(), now);
  return `${run.runId}  ${effectiveStatus(run)}  ${started}  ${printableLine(title)}`;
}
