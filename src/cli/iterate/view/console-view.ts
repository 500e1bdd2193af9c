import type { OutputLevel } from '../../../iterate/mode.ts';
import type { RunEvent } from '../../../model/event.ts';
import { type Clock, systemClock } from '../../../report/live/clock.ts';
import type { Reporter } from '../../../report/reporter.ts';
import { paletteFor } from '../../../report/text/palette.ts';
import { printableLine } from '../../../report/text/printable.ts';
import { AgentText } from './agent-text.ts';
import { type Line, linesFor } from './lines.ts';
import { LivePanel } from './live-panel.ts';
import { panelLines } from './panel.ts';
import type { RunTally } from './tally.ts';

export interface ConsoleViewOptions {
  readonly level: OutputLevel;
  readonly tally: RunTally;
  readonly color: boolean;
  readonly terminal: { readonly isTerminal: boolean; columns(): number };
  write(text: string): void;
  /** Whether somebody has asked for the loop to end. */
  isStopping(): boolean;
  readonly clock?: Clock;
}

const FRAME_MS = 100;

/** Quiet: errors alone. Progress: a line a fact, and on a terminal a live panel below. Verbose: the agent's every word as well. */
export function createConsoleView(options: ConsoleViewOptions): Reporter {
  return options.level === 'progress' && options.terminal.isTerminal && process.env['TERM'] !== 'dumb'
    ? createPanelView(options)
    : createLineView(options);
}

function createLineView({ level, tally, write }: ConsoleViewOptions): Reporter {
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
    close() {},
  };
}

function saidAt(level: OutputLevel, lines: readonly Line[]): readonly string[] {
  return lines.filter((line) => level !== 'quiet' || line.type === 'error').map((line) => line.text);
}

function createPanelView(options: ConsoleViewOptions): Reporter {
  const { tally, terminal } = options;
  const clock = options.clock ?? systemClock;
  const palette = paletteFor(options.color);
  const agent = new AgentText();
  let activity = '';
  const panel = new LivePanel({
    columns: () => terminal.columns(),
    write: (text) => options.write(text),
    render: () =>
      panelLines({
        tally,
        palette,
        columns: terminal.columns() - 1,
        now: clock.now(),
        activity,
        stopping: options.isStopping(),
      }),
  });
  const stopFrames = clock.every(FRAME_MS, () => panel.frame());
  const close = (): void => {
    stopFrames();
    panel.close();
  };
  return {
    event(event: RunEvent) {
      if (event.type === 'progress') {
        const first = agent.linesFor(event).find((line) => line.trim() !== '');
        if (first !== undefined) activity = printableLine(first);
      }
      if (event.type === 'step-ended') activity = '';
      panel.say(
        linesFor(event, tally)
          .filter((line) => line.type !== 'begin')
          .map((line) => line.text),
      );
      if (event.type === 'run-ended') close();
    },
    say: (text) => panel.say([text]),
    close,
  };
}
