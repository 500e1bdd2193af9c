import type { RunEvent } from '../model/event.ts';
import { type Clock, systemClock } from './live/clock.ts';
import { createJsonReporter } from './live/json-reporter.ts';
import { createLineReporter } from './live/line-reporter.ts';
import type { Reporter } from './live/reporter.ts';
import { type RenderAgentEvent, renderAgentText, StepOutput } from './live/step-output.ts';
import { Tally } from './live/tally.ts';
import { TerminalReporter } from './live/terminal-reporter.ts';
import { paletteFor } from './text/palette.ts';

export type ReportLevel = 'quiet' | 'progress' | 'verbose' | 'json';

export interface ReporterOptions {
  readonly level: ReportLevel;
  /** Of where `err` writes to. A terminal that knows no cursor movement (`TERM=dumb`) is to be called none. */
  readonly terminal: { readonly isTerminal: boolean; columns(): number };
  readonly color: boolean;
  /** Results: the JSON lines. */
  out(text: string): void;
  /** Talk: everything else. */
  err(text: string): void;
  readonly renderAgentEvent?: RenderAgentEvent;
  /** Of a run that goes on, whose first event tells neither. */
  readonly run?: {
    readonly runId: string;
    readonly title: string;
    /** What it has put down so far. */
    readonly history?: readonly RunEvent[];
  };
  readonly clock?: Clock;
}

/** The view of a run for a person or a program that looks on. */
export function createReporter(options: ReporterOptions): Reporter {
  const write = (text: string): void => options.err(text);
  if (options.level === 'json') return createJsonReporter((text) => options.out(text), write);
  const tally = new Tally(options.run ?? { runId: '', title: '' });
  const palette = paletteFor(options.color);
  const render = options.renderAgentEvent ?? renderAgentText;
  const verbose = options.level === 'verbose' ? { output: new StepOutput(render) } : {};
  if (options.level === 'quiet' || !options.terminal.isTerminal || process.env['TERM'] === 'dumb') {
    return createLineReporter({ tally, palette, quiet: options.level === 'quiet', write, ...verbose });
  }
  return new TerminalReporter({
    tally,
    palette,
    clock: options.clock ?? systemClock,
    columns: () => options.terminal.columns(),
    write,
    renderAgentEvent: render,
    ...verbose,
  });
}
