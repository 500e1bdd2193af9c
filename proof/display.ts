/** Progress of a proof: on a terminal one line per suite, redrawn; elsewhere a plain line from time to time. */
import type { SuiteResult } from './results.ts';
import type { Progress } from './run-suite.ts';

const REDRAW_MS = 200;
const PLAIN_MS = 10_000;

export interface Display {
  progress(progress: Progress): void;
  /** Printed once here; in full at the end. */
  violation(suite: string, id: string): void;
  ended(result: SuiteResult): void;
  close(): void;
}

interface Line {
  readonly name: string;
  readonly beganAt: number;
  progress: Progress | undefined;
  result: SuiteResult | undefined;
}

export interface Screen {
  readonly isTTY?: boolean | undefined;
  readonly columns?: number | undefined;
  write(text: string): void;
}

export function createDisplay(names: readonly string[], screen: Screen): Display {
  return screen.isTTY === true ? liveDisplay(names, screen) : plainDisplay(screen);
}

function liveDisplay(names: readonly string[], screen: Screen): Display {
  const lines = new Map<string, Line>();
  let drawn = 0;
  const draw = (): void => {
    const width = Math.max(20, (screen.columns ?? 80) - 1);
    const rows = names.map((name) => textOf(lines.get(name), name).slice(0, width));
    const up = drawn === 0 ? '' : `\u001b[${drawn}A`;
    screen.write(`${up}${rows.map((row) => `\r\u001b[K${row}\n`).join('')}`);
    drawn = rows.length;
  };
  const timer = setInterval(draw, REDRAW_MS);
  draw();
  return {
    progress: (progress) => {
      lineOf(lines, progress.suite).progress = progress;
    },
    // The suite's line counts it.
    violation: () => {},
    ended: (result) => {
      lineOf(lines, result.name).result = result;
    },
    close: () => {
      clearInterval(timer);
      draw();
    },
  };
}

function plainDisplay(screen: Screen): Display {
  const lines = new Map<string, Line>();
  let saidAt = Date.now();
  return {
    progress: (progress) => {
      const line = lineOf(lines, progress.suite);
      line.progress = progress;
      if (Date.now() - saidAt < PLAIN_MS) return;
      saidAt = Date.now();
      screen.write(`${textOf(line, line.name)}\n`);
    },
    violation: (suite, id) => screen.write(`${suite.padEnd(18)} VIOLATION ${id}\n`),
    ended: (result) => {
      const line = lineOf(lines, result.name);
      line.result = result;
      screen.write(`${textOf(line, line.name)}\n`);
    },
    close: () => {},
  };
}

function lineOf(lines: Map<string, Line>, name: string): Line {
  const known = lines.get(name);
  if (known !== undefined) return known;
  const made: Line = { name, beganAt: Date.now(), progress: undefined, result: undefined };
  lines.set(name, made);
  return made;
}

/** `kill-everywhere   1200/2466   8.4/s   no violation` */
function textOf(line: Line | undefined, name: string): string {
  const title = name.padEnd(18);
  if (line === undefined) return `${title} waits`;
  if (line.result !== undefined) {
    const { tried, durationMs, violations, skipped } = line.result;
    const left = Object.values(skipped).reduce((sum, one) => sum + one, 0);
    const aside = left === 0 ? '' : `, ${left} skipped`;
    return `${title} ${tried} points in ${seconds(durationMs)}${aside}, ${counted(violations.length)}`;
  }
  const { progress } = line;
  if (progress?.total === undefined) return `${title} is finding its points`;
  const elapsed = (Date.now() - line.beganAt) / 1000;
  const rate = elapsed < 1 ? '' : `  ${(progress.done / elapsed).toFixed(1)}/s`;
  return `${title} ${progress.done}/${progress.total}${rate}  ${counted(progress.violations)}`;
}

function counted(violations: number): string {
  if (violations === 0) return 'no violation';
  return violations === 1 ? '1 VIOLATION' : `${violations} VIOLATIONS`;
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`;
}
