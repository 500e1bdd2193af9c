/** A view that keeps a panel at the bottom of a terminal: what is said scrolls by above it, and it shows what the agent does just now. */

import { AgentText } from '../../host/loops/agent-text.ts';
import type { RunEvent } from '../../model/event.ts';
import { type Clock, systemClock } from '../../report/live/clock.ts';
import { LivePanel } from '../../report/live/live-panel.ts';
import type { Reporter } from '../../report/live/reporter.ts';
import { printableLine } from '../../report/text/printable.ts';
import { columnsOf } from '../../report/text/width.ts';

export interface TerminalSite {
  readonly isTerminal: boolean;
  columns(): number;
}

export const STDERR: TerminalSite = {
  get isTerminal() {
    return process.stderr.isTTY === true;
  },
  columns: () => columnsOf(process.stderr),
};

/** Can make room for somebody else who uses the terminal for a while: the shell of who presses Ctrl+Z. */
export interface ScreenView extends Reporter {
  leave(): void;
  comeBack(): void;
}

export interface LiveViewOptions {
  readonly terminal: TerminalSite;
  readonly clock?: Clock;
  write(text: string): void;
  /** The panel as it should stand now. */
  panel(activity: string, now: number): readonly string[];
  /** What is said of an event, above the panel. */
  linesFor(event: RunEvent): readonly string[];
}

const FRAME_MS = 100;

export function hasScreen({ isTerminal }: TerminalSite): boolean {
  return isTerminal && process.env['TERM'] !== 'dumb';
}

export function createLiveView(options: LiveViewOptions): ScreenView {
  const clock = options.clock ?? systemClock;
  const agent = new AgentText();
  let activity = '';
  const panel = new LivePanel({
    columns: () => options.terminal.columns(),
    write: (text) => options.write(text),
    render: () => options.panel(activity, clock.now()),
  });
  const stopFrames = clock.every(FRAME_MS, () => panel.frame());
  const close = (): void => {
    stopFrames();
    panel.close();
  };
  return {
    event(event) {
      if (event.type === 'progress') {
        const first = agent.linesFor(event).find((line) => line.trim() !== '');
        if (first !== undefined) activity = printableLine(first);
      }
      if (event.type === 'step-ended') activity = '';
      panel.say(options.linesFor(event));
      if (event.type === 'run-ended') close();
    },
    say: (text) => panel.say([text]),
    leave: () => panel.leave(),
    comeBack: () => panel.comeBack(),
    close,
  };
}
