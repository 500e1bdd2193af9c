import type { Reporter } from './reporter.ts';

/** Prints every event unchanged, one JSON object per line. */
export function createJsonReporter(write: (text: string) => void, talk: (text: string) => void): Reporter {
  return {
    event: (event) => write(`${JSON.stringify(event)}\n`),
    say: (text) => talk(`${text}\n`),
    close: () => {},
  };
}
