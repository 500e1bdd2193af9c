/** The live panel of a loop: progress, elapsed time, estimate, cost, and the latest message. */

import { durationText, spendingText, untilText } from '../../model/amounts.ts';
import type { LoopTally } from '../../operations/loops/watch-loop.ts';
import { limitText } from '../../report/text/limit.ts';
import type { Palette } from '../../report/text/palette.ts';
import { printableLine } from '../../report/text/printable.ts';
import { cutTo, widthOf } from '../../report/text/width.ts';

export interface PanelView {
  readonly tally: LoopTally;
  readonly palette: Palette;
  readonly columns: number;
  readonly now: number;
  /** What the agent is doing now. */
  readonly activity: string;
  /** How the user asked it to end. */
  readonly ending?: Ending | undefined;
}

/** After its iteration, or now. */
export type Ending = 'stop' | 'pause' | 'interrupt';

const WIDEST_BAR = 40;

export function panelLines(view: PanelView): readonly string[] {
  const { tally, palette, columns } = view;
  const activity = activityText(view);
  return [
    palette.strong(cutTo(titleText(tally), columns)),
    barLine(view),
    factsText(view),
    ...(tally.last?.summary === undefined
      ? []
      : [cutTo(`Status: ${printableLine(tally.last.summary)}`, columns)]),
    ...(activity === '' ? [] : [palette.faint(cutTo(`  ${activity}`, columns))]),
    palette.faint(cutTo(view.ending === undefined ? keysText(columns) : ENDING[view.ending], columns)),
  ];
}

const ENDING: { readonly [How in Ending]: string } = {
  stop: 'Stopping after this iteration.',
  pause: 'Pausing after this iteration.',
  interrupt: 'Stopping now.   Ctrl+C: force quit',
};

function keysText(columns: number): string {
  const whole = 's: stop after this iteration   Ctrl+C: interrupt';
  return whole.length <= columns ? whole : 's: stop   Ctrl+C: interrupt';
}

/** What the agent is doing or waiting for. */
function activityText({ tally, now, activity }: PanelView): string {
  const { waitingUntil, limit } = tally;
  if (limit !== undefined) return limitText(limit, now);
  const isWaiting = waitingUntil !== undefined && Date.parse(waitingUntil) > now;
  return isWaiting ? `waiting until ${untilText(waitingUntil, now)}` : activity;
}

function titleText(tally: LoopTally): string {
  const at =
    tally.verifying !== undefined
      ? `verification ${tally.verifying}`
      : `iteration ${tally.running ?? tally.done}/${tally.maxIterations}`;
  return `${tally.name}  ${tally.mode} mode  ${at}`;
}

function barLine({ tally, palette, columns }: PanelView): string {
  const [done, total, unit] =
    tally.progress === undefined
      ? [tally.done, tally.maxIterations, 'iterations']
      : [tally.progress.completed, tally.progress.total, 'items'];
  const share = total === 0 ? 0 : Math.min(1, Math.max(0, done / total));
  const text = `${Math.floor(share * 100)}%  ${done}/${total} ${unit}`;
  const width = Math.max(0, Math.min(WIDEST_BAR, columns - widthOf(text) - 3));
  const filled = Math.floor(share * width);
  return `${palette.good('█'.repeat(filled))}${palette.faint('░'.repeat(width - filled))}  ${text}`;
}

/** Facts that do not fit are left out entirely: a truncated number would be wrong. */
function factsText({ tally, now, columns, ending }: PanelView): string {
  const facts: string[] = [];
  if (tally.startedAt !== undefined) facts.push(`elapsed ${durationText(now - Date.parse(tally.startedAt))}`);
  const estimate = tally.estimateMs();
  // How long a limit lasts is known, but not what comes after it.
  if (tally.limit === undefined && ending === undefined && estimate !== undefined && estimate > 0)
    facts.push(`about ${durationText(estimate)} left`);
  const spending = spendingText(tally.spending);
  if (spending !== undefined) facts.push(spending);
  if (tally.mode === 'iterative' && tally.stagnationThreshold > 0)
    facts.push(`no work ${tally.last?.noWork ?? 0}/${tally.stagnationThreshold}`);
  return facts.reduce((line, fact) => {
    const longer = line === '' ? fact : `${line}   ${fact}`;
    return widthOf(longer) <= columns ? longer : line;
  }, '');
}
