/** The folder of one point, in which the program's commands run, and access to the files they leave. */
import { setMaxListeners } from 'node:events';
import fs from 'node:fs';
import path from 'node:path';
import { must, shortened } from '../must.ts';
import { type Ended, processesIn, type Started, startProgram } from '../program.ts';
import type { Trial } from '../suite.ts';

export interface CallOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly stdin?: string;
  /** The start of its command line. */
  readonly via?: readonly string[];
}

export interface Site {
  readonly folder: string;
  readonly trial: Trial;
  path(...names: readonly string[]): string;
  write(files: Readonly<Record<string, string>>): void;
  read(name: string): string;
  has(name: string): boolean;
  /** Lines of a file; empty if it does not exist. */
  lines(name: string): readonly string[];
  /** Names in a folder, sorted; empty if it does not exist. */
  list(name: string): readonly string[];
  start(argv: readonly string[], options?: CallOptions): Started;
  run(argv: readonly string[], options?: CallOptions): Promise<Ended>;
  /** Runs it and requires exit code 0. */
  ok(argv: readonly string[], options?: CallOptions): Promise<Ended>;
  /** Ids of the runs, oldest first. */
  runs(): readonly string[];
}

export function createSite(trial: Trial, given: Readonly<Record<string, string>> = {}): Site {
  const folder = trial.folder();
  const env = { PATH: `${path.join(folder, '.bin')}:${process.env['PATH'] ?? ''}`, ...given };
  // Every process it starts adds a listener.
  setMaxListeners(0, trial.signal);
  trial.signal.addEventListener('abort', () => killThoseIn(folder), { once: true });
  const at = (...names: readonly string[]): string => path.join(folder, ...names);
  const start = (argv: readonly string[], options: CallOptions = {}): Started =>
    startProgram({
      ...{ root: trial.root, folder, argv, signal: trial.signal },
      env: { ...env, ...options.env },
      ...(options.stdin === undefined ? {} : { stdin: options.stdin }),
      ...(options.via === undefined ? {} : { via: options.via }),
    });
  const read = (name: string): string => fs.readFileSync(at(name), 'utf8');
  return {
    folder,
    trial,
    path: at,
    write(files) {
      for (const [name, text] of Object.entries(files)) {
        fs.mkdirSync(path.dirname(at(name)), { recursive: true });
        fs.writeFileSync(at(name), text, { mode: text.startsWith('#!') ? 0o755 : 0o644 });
      }
    },
    read,
    has: (name) => fs.existsSync(at(name)),
    lines: (name) =>
      fs.existsSync(at(name))
        ? read(name)
            .split('\n')
            .filter((line) => line !== '')
        : [],
    list: (name) => (fs.existsSync(at(name)) ? fs.readdirSync(at(name)).sort() : []),
    start,
    run: (argv, options) => start(argv, options).ended,
    async ok(argv, options) {
      const ended = await start(argv, options).ended;
      mustEnd(ended, 0, argv);
      return ended;
    },
    runs: () => runsIn(folder),
  };
}

export function mustEnd(ended: Ended, exitCode: number, argv: readonly string[]): void {
  must(ended.exitCode === exitCode, () => ({
    expected: `exit code ${exitCode} of \`orchestrate ${shortened(argv.join(' '), 200)}\``,
    found: `${ended.signal ?? ended.exitCode}: ${shortened(`${ended.stdout}${ended.stderr}`)}`,
  }));
}

/** Ids of the runs, oldest first. Other names are runs that were killed before they started or are being removed. */
export function runsIn(folder: string): readonly string[] {
  const runs = path.join(folder, '.orchestrate', 'runs');
  return fs.existsSync(runs)
    ? fs
        .readdirSync(runs)
        .filter((name) => /^\d/.test(name))
        .sort()
    : [];
}

/** Only processes that work in this folder or have it as their home. */
export function killThoseIn(folder: string): void {
  for (const pid of processesIn(folder)) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // It has already ended.
    }
  }
}

/** Polls until it is true; the trial's time limit ends it. */
export async function until(trial: Trial, what: string, isSo: () => boolean): Promise<void> {
  while (!isSo()) {
    if (trial.signal.aborted) throw new Error(`waited for ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

/** Everything below a folder on disk; any change by a reader changes an entry. */
export function snapshotOf(folder: string): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  const visit = (place: string): void => {
    const stat = fs.lstatSync(place, { bigint: true });
    const content = stat.isFile()
      ? fs.readFileSync(place).toString('latin1')
      : stat.isSymbolicLink()
        ? fs.readlinkSync(place)
        : '';
    const { ino, mode, size, mtimeNs, ctimeNs } = stat;
    found.set(path.relative(folder, place), [ino, mode, size, mtimeNs, ctimeNs, content].join('\n'));
    if (stat.isDirectory()) for (const name of fs.readdirSync(place)) visit(path.join(place, name));
  };
  visit(folder);
  return found;
}

export function differences(
  before: ReadonlyMap<string, string>,
  after: ReadonlyMap<string, string>,
): readonly string[] {
  const names = new Set([...before.keys(), ...after.keys()]);
  return [...names]
    .filter((name) => before.get(name) !== after.get(name))
    .map((name) => (name === '' ? '.' : name));
}
