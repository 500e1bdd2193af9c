/** A clock that the point sets for every process of the product it starts. */
import fs from 'node:fs';
import path from 'node:path';
import type { Ended, Started } from '../program.ts';
import type { CallOptions, Site } from '../site/site.ts';

export const SECOND = 1000;
export const HOUR = 3600 * SECOND;
export const DAY = 24 * HOUR;

export interface Clock {
  readonly env: Readonly<Record<string, string>>;
  /** A file that a command of the point may write: the offset of the clock, in ms. */
  readonly file: string;
  set(offsetMs: number): void;
  start(argv: readonly string[]): Started;
  run(argv: readonly string[]): Promise<Ended>;
}

export function createClock(site: Site, more: Readonly<Record<string, string>> = {}): Clock {
  const file = site.path('.clock');
  const shim = path.join(site.trial.root, 'proof', 'rig', 'clock.cjs');
  const env = { ...more, NODE_OPTIONS: `--require=${shim}`, CLOCK: JSON.stringify({ file }) };
  const set = (offsetMs: number): void => {
    fs.writeFileSync(`${file}.new`, String(offsetMs));
    fs.renameSync(`${file}.new`, file);
  };
  set(0);
  const options: CallOptions = { env };
  return {
    env,
    file,
    set,
    start: (argv) => site.start(argv, options),
    run: (argv) => site.start(argv, options).ended,
  };
}
