import type { Reporter } from './reporter.ts';

/** Every event as it is, one JSON object a line. */
export function createJsonReporter(write: (text: string) => void, talk: (text: string) => void): Reporter {
  return {
    event: (event) => write(`${JSON.stringify(event)}\n`),
    say: (text) => talk(`${text}\n`),
    close: () => {},
  };
}
