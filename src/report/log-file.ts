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
  /** To be told. */
  readonly path: string;
  /** Opens it, to append. Errors of the file system are thrown. */
  open(): number;
  readonly run?: { readonly runId: string; readonly title: string };
  /** Told once when the log cannot be written; the run goes on without it. */
  onProblem(message: string): void;
}

/** `logs/orchestrator.log`: what happened when, one line a fact, for reading afterwards. */
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
        `cannot write the log \`${options.path}\`: ${errnoWords(code)}; the run goes on without it`,
      );
    }
  };
  return {
    event(event: RunEvent): void {
      tally.apply(event);
      const lines = writer.linesFor(event).map((line) => renderLine(line, palette));
      if (event.type === 'process-started') lines.push(`· ${event.key}  process ${event.pid}`);
      if (event.type === 'run-ended') lines.push(`● the run is ${event.status}`);
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
