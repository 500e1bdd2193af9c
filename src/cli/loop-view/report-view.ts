/** The view while an agent writes a report: its title, elapsed time, and what the agent is doing. */

import { durationText } from '../../model/amounts.ts';
import type { RunEvent } from '../../model/event.ts';
import { type Clock, systemClock } from '../../report/live/clock.ts';
import type { Reporter } from '../../report/live/reporter.ts';
import { paletteFor } from '../../report/text/palette.ts';
import { cutTo } from '../../report/text/width.ts';
import { attemptText, messagesIn } from './lines.ts';
import { createLiveView, hasScreen, type TerminalSite } from './live-view.ts';

export interface ReportViewOptions {
  /** `Verifying my-task`. */
  readonly title: string;
  readonly color: boolean;
  readonly terminal: TerminalSite;
  readonly clock?: Clock;
  write(text: string): void;
}

export function createReportView(options: ReportViewOptions): Reporter {
  const { title, terminal, write } = options;
  const clock = options.clock ?? systemClock;
  if (!hasScreen(terminal)) {
    const say = (lines: readonly string[]): void => {
      for (const line of lines) write(`${line}\n`);
    };
    return {
      event: (event) => say(event.type === 'run-started' ? [`${title}...`] : linesFor(event)),
      say: (text) => say([text]),
      close() {},
    };
  }
  const startedAt = clock.now();
  const palette = paletteFor(options.color);
  return createLiveView({
    terminal,
    clock,
    write,
    panel(activity, now) {
      const columns = terminal.columns() - 1;
      const head = cutTo(`${title}   elapsed ${durationText(now - startedAt)}`, columns);
      return [
        palette.strong(head),
        ...(activity === '' ? [] : [palette.faint(cutTo(`  ${activity}`, columns))]),
      ];
    },
    linesFor,
  });
}

function linesFor(event: RunEvent): readonly string[] {
  if (event.type === 'attempt-ended') return [attemptText(event)];
  if (event.type === 'progress') return messagesIn(event);
  return event.type === 'run-ended' && event.status === 'interrupted'
    ? [`■ Interrupted by ${event.signal ?? 'a signal'}`]
    : [];
}
