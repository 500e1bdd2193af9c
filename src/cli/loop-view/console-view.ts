import { AgentText } from '../../host/loops/agent-text.ts';
import type { RunEvent } from '../../model/event.ts';
import type { LoopTally, OutputLevel } from '../../operations/loops/watch-loop.ts';
import type { Clock } from '../../report/live/clock.ts';
import { paletteFor } from '../../report/text/palette.ts';
import { type Again, type Line, linesFor } from './lines.ts';
import { createLiveView, hasScreen, type ScreenView, type TerminalSite } from './live-view.ts';
import { type Ending, panelLines } from './panel.ts';

export interface ConsoleViewOptions {
  readonly level: OutputLevel;
  readonly tally: LoopTally;
  readonly color: boolean;
  readonly terminal: TerminalSite;
  /** The commands that run it again. */
  readonly again: Again;
  /** Progress and results, and the panel. */
  write(text: string): void;
  /** Errors and warnings; default: like progress. */
  warn?(text: string): void;
  /** How the user asked the loop to end. */
  ending(): Ending | undefined;
  readonly clock?: Clock;
}

/** Quiet: errors only. Progress: one line per event, and on a terminal a live panel below. Verbose: the agent's output as well. */
export function createConsoleView(options: ConsoleViewOptions): ScreenView {
  return options.level === 'progress' && hasScreen(options.terminal)
    ? createPanelView(options)
    : createLineView(options);
}

function createLineView(options: ConsoleViewOptions): ScreenView {
  const { level, tally, again, write, warn = write } = options;
  const agent = new AgentText();
  const say = (lines: readonly string[]): void => {
    if (lines.length > 0) write(lines.map((line) => `${line}\n`).join(''));
  };
  const print = (line: Line): void => (isWarning(line) ? warn(`${line.text}\n`) : say([line.text]));
  return {
    event(event: RunEvent) {
      if (level === 'verbose' && event.type === 'progress') say(agent.linesFor(event));
      if (level === 'verbose' && event.type === 'step-ended') say(agent.flush());
      for (const line of linesFor(event, { tally, again })) if (isSaidAt(level, line)) print(line);
    },
    say: (text) => warn(`${text}\n`),
    leave() {},
    comeBack() {},
    close() {},
  };
}

function isSaidAt(level: OutputLevel, { type }: Line): boolean {
  return level !== 'quiet' || type === 'error';
}

function isWarning({ type }: Line): boolean {
  return type === 'error' || type === 'warning';
}

function createPanelView(options: ConsoleViewOptions): ScreenView {
  const { tally, again, terminal } = options;
  const palette = paletteFor(options.color);
  return createLiveView({
    ...options,
    panel: (activity, now) =>
      panelLines({
        tally,
        palette,
        columns: terminal.columns() - 1,
        now,
        activity,
        ending: options.ending(),
      }),
    linesFor(event) {
      const lines = linesFor(event, { tally, again }).filter(({ type }) => type !== 'begin');
      const { warn } = options;
      if (warn !== undefined) for (const { text } of lines.filter(isWarning)) warn(`${text}\n`);
      return lines.filter((line) => warn === undefined || !isWarning(line)).map(({ text }) => text);
    },
  });
}
