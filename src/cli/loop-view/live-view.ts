/** A view with a panel at the bottom of the terminal: it shows what the agent is doing; messages scroll by above it. */

import { AgentText } from '../../host/loops/agent-text.ts';
import type { RunEvent } from '../../model/event.ts';
import { type Clock, systemClock } from '../../report/live/clock.ts';
import { LivePanel } from '../../report/live/live-panel.ts';
import type { Reporter } from '../../report/live/reporter.ts';
import { printableLine } from '../../report/text/printable.ts';
import { canRedraw } from '../../report/text/redraw.ts';
import { columnsOf } from '../../report/text/width.ts';

export interface TerminalSite {
  readonly isTerminal: boolean;
  columns(): number;
}

export const STDOUT = terminalOn('stdout');
export const STDERR = terminalOn('stderr');

function terminalOn(stream: 'stdout' | 'stderr'): TerminalSite {
  return {
    get isTerminal() {
      return process[stream].isTTY === true;
    },
    columns: () => columnsOf(process[stream]),
  };
}

/** Can release the terminal for a while, for example to the shell after Ctrl+Z. */
export interface ScreenView extends Reporter {
  leave(): void;
  comeBack(): void;
}

export interface LiveViewOptions {
  readonly terminal: TerminalSite;
  readonly clock?: Clock;
  write(text: string): void;
  /** Renders the panel as it is now. */
  panel(activity: string, now: number): readonly string[];
  /** Lines printed above the panel for an event. */
  linesFor(event: RunEvent): readonly string[];
}

const FRAME_MS = 100;

export function hasScreen({ isTerminal }: TerminalSite): boolean {
  return isTerminal && canRedraw();
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
