import type { RunEvent } from '../../model/event.ts';
import type { Palette } from '../text/palette.ts';
import { closingLines } from './closing.ts';
import { LineWriter, renderLine } from './lines.ts';
import type { Reporter } from './reporter.ts';
import type { StepOutput } from './step-output.ts';
import type { Tally } from './tally.ts';

export interface LineReporterOptions {
  readonly tally: Tally;
  readonly palette: Palette;
  /** Prints only how the run ended, and only if the user has to do something about it. */
  readonly quiet: boolean;
  /** If present, the output of steps and agents is shown too. */
  readonly output?: StepOutput;
  write(text: string): void;
}

/** Prints one line per fact and never rewrites any: for logs, pipes and simple terminals. */
export function createLineReporter(options: LineReporterOptions): Reporter {
  const { tally, palette, quiet, output } = options;
  const writer = new LineWriter(tally);
  const say = (lines: readonly string[]): void => {
    if (lines.length > 0) options.write(`${lines.join('\n')}\n`);
  };
  return {
    event(event: RunEvent): void {
      tally.apply(event);
      if (!quiet) {
        const lines = writer.linesFor(event).map((line) => renderLine(line, palette));
        if (output !== undefined && event.type === 'progress') say(output.linesFor(event));
        if (output !== undefined && event.type === 'step-ended') say(output.flush(event.key));
        say(lines);
      }
      if (event.type === 'run-ended' && !(quiet && event.status === 'completed'))
        say(closingLines(tally, event, palette));
    },
    say: (text) => say([text]),
    close(): void {},
  };
}
