import { AgentText } from '../../host/loops/agent-text.ts';
import type { RunEvent } from '../../model/event.ts';
import type { LoopTally, OutputLevel } from '../../operations/loops/watch-loop.ts';
import type { Clock } from '../../report/live/clock.ts';
import { paletteFor } from '../../report/text/palette.ts';
import { type Line, linesFor } from './lines.ts';
import { createLiveView, hasScreen, type ScreenView, type TerminalSite } from './live-view.ts';
import { panelLines } from './panel.ts';

export interface ConsoleViewOptions {
  readonly level: OutputLevel;
  readonly tally: LoopTally;
  readonly color: boolean;
  readonly terminal: TerminalSite;
  write(text: string): void;
  /** Whether the user asked the loop to stop. */
  isStopping(): boolean;
  readonly clock?: Clock;
}

/** Quiet: errors only. Progress: one line per event, and on a terminal a live panel below. Verbose: the agent's output as well. */
export function createConsoleView(options: ConsoleViewOptions): ScreenView {
  return options.level === 'progress' && hasScreen(options.terminal)
    ? createPanelView(options)
    : createLineView(options);
}

function createLineView({ level, tally, write }: ConsoleViewOptions): ScreenView {
  const agent = new AgentText();
  const say = (lines: readonly string[]): void => {
    if (lines.length > 0) write(lines.map((line) => `${line}\n`).join(''));
  };
  return {
    event(event: RunEvent) {
      if (level === 'verbose' && event.type === 'progress') say(agent.linesFor(event));
      if (level === 'verbose' && event.type === 'step-ended') say(agent.flush());
      say(saidAt(level, linesFor(event, tally)));
    },
    say: (text) => say([text]),
    leave() {},
    comeBack() {},
    close() {},
  };
}

function saidAt(level: OutputLevel, lines: readonly Line[]): readonly string[] {
  return lines.filter((line) => level !== 'quiet' || line.type === 'error').map((line) => line.text);
}

function createPanelView(options: ConsoleViewOptions): ScreenView {
  const { tally, terminal } = options;
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
        stopping: options.isStopping(),
      }),
    linesFor: (event) =>
      linesFor(event, tally)
        .filter((line) => line.type !== 'begin')
        .map((line) => line.text),
  });
}
