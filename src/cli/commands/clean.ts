import { type Command, InvalidArgumentError, Option } from 'commander';
import { errnoWords } from '../../model/describe-failure.ts';
import { agoText, countText, numberText } from '../../report/text/amounts.ts';
import { printableLine } from '../../report/text/printable.ts';
import { holderText } from '../../store/describe-held.ts';
import { errnoOf } from '../../store/errno.ts';
import { acquireLock } from '../../store/lock.ts';
import { removeFolder } from '../../store/remove-folder.ts';
import { strangersIn } from '../../store/run-folder.ts';
import type { CliContext } from '../context.ts';
import { EXIT } from '../exit-codes.ts';
import { effectiveStatus, LISTED_STATUSES, type ListedRun, listRuns, unknownStatus } from '../list-runs.ts';
import { collect, wholeNumber } from '../run-options.ts';

interface CleanFlags {
  readonly olderThan: number;
  readonly keep?: number;
  readonly status?: readonly string[];
  readonly dryRun?: boolean;
  readonly force?: boolean;
}

/** A run that waits for an answer is removed only when it is named. */
const CLEANED = ['completed', 'failed', 'cancelled', 'interrupted', 'damaged'];
const UNITS: { readonly [unit: string]: number } = {
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 7 * 86_400_000,
};

export function define(command: Command, context: CliContext): void {
  command
    .addOption(
      new Option('--older-than <age>', 'only runs begun longer ago than this: 90m, 12h, 30d, 4w')
        .argParser(age)
        .default(age('30d'), '30d'),
    )
    .option('--keep <n>', 'keep the newest n runs, whatever their age', wholeNumber)
    .option(
      '--status <status>',
      `only runs with this status (repeatable); otherwise ${CLEANED.join(', ')}`,
      collect,
    )
    .option('--dry-run', 'only say what would be removed')
    .option('-f, --force', 'do not ask')
    .addHelpText('after', '\nExample:\n  orchestrate clean --older-than 7d --keep 20 --dry-run')
    .action(async (flags: CleanFlags) => {
      context.exitCode = await clean(context, flags);
    });
}

async function clean(context: CliContext, flags: CleanFlags): Promise<number> {
  const unknown = flags.status?.find((status) => !LISTED_STATUSES.includes(status));
  if (unknown !== undefined) {
    context.err(unknownStatus(unknown));
    return EXIT.usage;
  }
  const chosen = choose(context.workspace, flags);
  if (chosen.length === 0) {
    context.err('there is nothing to remove\n');
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
      context.err(
        `error: ${runs} would be removed, and there is nobody to ask\nhelp: \`--force\` removes without asking\n`,
      );
      return EXIT.failed;
    }
    if (!isSure) {
      context.err('nothing was removed\n');
      return EXIT.done;
    }
  }
  return removeAll(context, chosen);
}

function choose(workspace: string, flags: CleanFlags): readonly ListedRun[] {
  const statuses = flags.status ?? CLEANED;
  const before = Date.now() - flags.olderThan;
  const chosen: ListedRun[] = [];
  let seen = 0;
  for (const run of listRuns(workspace)) {
    seen += 1;
    if (seen <= (flags.keep ?? 0) || run.isAlive) continue;
    if (statuses.includes(effectiveStatus(run)) && startOf(run) <= before) chosen.push(run);
  }
  return chosen;
}

/** The lock is taken first: a run that somebody has just resumed is left alone. */
function removeAll(context: CliContext, chosen: readonly ListedRun[]): number {
  let removed = 0;
  let exitCode: number = EXIT.done;
  let toldAt = Date.now();
  for (const run of chosen) {
    if (process.stderr.isTTY && Date.now() - toldAt > 500) {
      toldAt = Date.now();
      context.err(`removed ${numberText(removed)} of ${countText(chosen.length, 'run')} …\n`);
    }
    try {
      const locked = acquireLock(run.paths.lock);
      if (locked.type === 'error') {
        context.err(
          `note: run \`${run.runId}\` is being run by ${holderText(locked.error)} now, and stays\n`,
        );
        continue;
      }
      const strangers = strangersIn(run.paths.directory);
      if (strangers.length > 0) {
        locked.value.release();
        context.err(
          `note: run \`${run.runId}\` stays: ${strangers.map((name) => `\`${printableLine(name)}\``).join(', ')} in it was not written by orchestrate\n`,
        );
        continue;
      }
      removeFolder(run.paths.directory);
      removed += 1;
    } catch (cause) {
      exitCode = EXIT.failed;
      context.err(`error: cannot remove \`${run.paths.directory}\`: ${errnoWords(errnoOf(cause))}\n`);
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

/** As its id says, which is there also when nothing else can be read. */
function startOf(run: ListedRun): number {
  const [, year, month, day, hour, minute, second] =
    /^(\d{4})(\d{2})(\d{2})T(\d{2})(\d{2})(\d{2})Z/.exec(run.runId) ?? [];
  return Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
}

/** `90m`, `12h`, `30d`, `4w` → milliseconds. */
export function age(text: string): number {
  const [, count, unit] = /^(\d{1,6})([mhdw])$/.exec(text) ?? [];
  if (count === undefined || unit === undefined)
    throw new InvalidArgumentError('it must be a number and m, h, d or w, such as 30d.');
  return Number(count) * (UNITS[unit] ?? 0);
}
