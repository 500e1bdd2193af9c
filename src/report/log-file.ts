import fs from 'node:fs';
import { closeFile } from '../model/close-file.ts';
import { errnoWords } from '../model/describe-failure.ts';
import type { RunEvent } from '../model/event.ts';
import { LineWriter, renderLine } from './live/lines.ts';
import type { Reporter } from './live/reporter.ts';
import { Tally } from './live/tally.ts';
import { paletteFor } from './text/palette.ts';
import { printableLine } from './text/printable.ts';

export interface LogFileOptions {
  /** Shown in messages. */
  readonly path: string;
  /** Opens the file for appending. File system errors are thrown. */
  open(): number;
  readonly run?: { readonly runId: string; readonly title: string };
  /** Called once if the log cannot be written; the run continues without it. */
  onProblem(message: string): void;
}

/** Writes `logs/orchestrator.log`: what happened when, one line per fact. */
export function createLogFile(options: LogFileOptions): Reporter {
  const tally = new Tally(options.run ?? { runId: '', title: '' });
  const writer = new LineWriter(tally);
  const palette = paletteFor(false);
  let fd: number | undefined;
  let failed = false;
  const write = (text: string): void => {
    if (failed || text === '') return;
    try {
      fd ??= options.open();
      fs.writeSync(fd, text);
    } catch (cause) {
      failed = true;
      const code = (cause as NodeJS.ErrnoException).code ?? String(cause);
      options.onProblem(
        `cannot write the log \`${options.path}\`: ${errnoWords(code)}; continuing without it`,
      );
    }
  };
  return {
    event(event: RunEvent): void {
      tally.apply(event);
      const lines = writer.linesFor(event).map((line) => renderLine(line, palette));
      if (event.type === 'process-started') lines.push(`· ${event.key}  process ${event.pid}`);
      if (event.type === 'run-ended') lines.push(`● run ${event.status}`);
      write(lines.map((line) => `${event.at} ${line}\n`).join(''));
    },
    say: (text) => write(`${new Date().toISOString()} · ${printableLine(text)}\n`),
    close(): void {
      if (fd !== undefined) closeFile(fd);
      fd = undefined;
      failed = true;
    },
  };
}
