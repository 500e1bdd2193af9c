import type { RunEvent } from '../model/event.ts';
import { type Clock, systemClock } from './live/clock.ts';
import { createJsonReporter } from './live/json-reporter.ts';
import { createLineReporter } from './live/line-reporter.ts';
import type { Reporter } from './live/reporter.ts';
import { type RenderAgentEvent, renderAgentText, StepOutput } from './live/step-output.ts';
import { Tally } from './live/tally.ts';
import { TerminalReporter } from './live/terminal-reporter.ts';
import { paletteFor } from './text/palette.ts';
import { canRedraw } from './text/redraw.ts';

export type ReportLevel = 'quiet' | 'progress' | 'verbose' | 'json';

export interface ReporterOptions {
  readonly level: ReportLevel;
  /** Describes the target of `err`. One that cannot be redrawn (`canRedraw`) does not count as a terminal. */
  readonly terminal: { readonly isTerminal: boolean; columns(): number };
  readonly color: boolean;
  /** Standard output: the JSON lines. */
  out(text: string): void;
  /** Standard error: everything else. */
  err(text: string): void;
  readonly renderAgentEvent?: RenderAgentEvent;
  /** For a resumed run, whose first event has neither id nor title. */
  readonly run?: {
    readonly runId: string;
    readonly title: string;
    /** Its journal so far. */
    readonly history?: readonly RunEvent[];
  };
  /** What its journal so far adds up to, instead of `history`. */
  readonly tally?: Tally;
  readonly clock?: Clock;
}

/** Creates the view of a running run for a person or another program. */
export function createReporter(options: ReporterOptions): Reporter {
  const write = (text: string): void => options.err(text);
  if (options.level === 'json') return createJsonReporter((text) => options.out(text), write);
  const tally = options.tally ?? new Tally(options.run ?? { runId: '', title: '' });
  const palette = paletteFor(options.color);
  const render = options.renderAgentEvent ?? renderAgentText;
  const verbose = options.level === 'verbose' ? { output: new StepOutput(render) } : {};
  if (options.level === 'quiet' || !options.terminal.isTerminal || !canRedraw()) {
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
