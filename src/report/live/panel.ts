import { durationText, spendingText } from '../../model/amounts.ts';
import { limitText } from '../text/limit.ts';
import type { Palette } from '../text/palette.ts';
import { cutTo, widthOf } from '../text/width.ts';
import type { Tally } from './tally.ts';

const SPINNER = '⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏';
const STEPS_SHOWN = 8;

export interface PanelView {
  readonly tally: Tally;
  readonly palette: Palette;
  readonly columns: number;
  readonly now: number;
  /** Frame number of the spinner. */
  readonly turn: number;
  /** Step → its latest activity. */
  readonly activity: ReadonlyMap<string, string>;
}

/** The lines of the panel: the running steps and the totals. None is wider than the terminal. */
export function panelLines(view: PanelView): readonly string[] {
  const { tally, palette, now, columns } = view;
  const spinner = SPINNER[view.turn % SPINNER.length] ?? '·';
  const running = [...tally.running].slice(0, STEPS_SHOWN);
  const lines = running.map(([key, startedAt]) => {
    const elapsed = `  ${elapsedText(now - Date.parse(startedAt))}`;
    // The time shows that the step is alive, so a narrow terminal shortens the name instead.
    const head = cutTo(
      `${cutTo(tally.items.named(key), columns - 2 - elapsed.length)}${elapsed}`,
      columns - 2,
    );
    const limit = tally.limits.open.get(key);
    const doing = limit === undefined ? (view.activity.get(key) ?? '') : limitText(limit, now);
    const left = columns - 2 - widthOf(head) - 2;
    const tail = doing === '' || left < 8 ? '' : `  ${palette.faint(cutTo(doing, left))}`;
    return `${palette.notice(spinner)} ${head}${tail}`;
  });
  if (tally.running.size > STEPS_SHOWN)
    lines.push(cutTo(`  … and ${tally.running.size - STEPS_SHOWN} more`, columns));
  lines.push(palette.faint(cutTo(sum(tally, now), columns)));
  return lines;
}

function sum(tally: Tally, now: number): string {
  const { completed, failed, skipped } = tally.counts;
  const parts = [`${completed} done`];
  if (tally.running.size > 0) parts.push(`${tally.running.size} running`);
  if (failed > 0) parts.push(`${failed} failed`);
  if (skipped > 0) parts.push(`${skipped} skipped`);
  if (tally.clock.hasBegun) parts.push(elapsedText(tally.clock.msAt(now)));
  const spending = spendingText(tally.spending);
  if (spending !== undefined) parts.push(spending);
  return `  ${parts.join(' · ')}`;
}

/** Whole seconds, since tenths would flicker. */
function elapsedText(ms: number): string {
  return ms < 59_950 ? `${Math.max(0, Math.floor(ms / 1000))} s` : durationText(ms);
}
