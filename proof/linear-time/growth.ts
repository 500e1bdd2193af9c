/** Measures how long a parser takes for a text that doubles. */
import vm from 'node:vm';
import { Violation } from '../suite.ts';

/** Limit of processor time for one parser and one text. A linear parser takes a tenth of it or less. */
export const LONGEST_MS = 1000;
const FIRST = 256;
/** A busy machine may be slow once. */
const TRIES = 3;
/** After this time it is stopped, so that the proof can continue. */
const GIVE_UP_MS = 20_000;

export interface Growing {
  readonly what: string;
  readonly most: number;
  text(characters: number): string;
  use(text: string): unknown;
}

/** From a short text to the longest, so that fast growth is found before it takes forever. */
export function mustBeLinear(growing: Growing, first: number = FIRST): void {
  const { what, most, text, use } = growing;
  const times: string[] = [];
  for (let characters = first; characters <= most; characters *= 2) {
    const given = text(characters);
    let ms = Number.POSITIVE_INFINITY;
    for (let left = TRIES; left > 0 && ms > LONGEST_MS; left -= 1)
      ms = Math.min(
        ms,
        processorMs(() => use(given), what),
      );
    times.push(`${characters}: ${Math.round(ms)} ms`);
    if (ms > LONGEST_MS)
      throw new Violation({
        expected: `at most ${LONGEST_MS} ms of processor time`,
        found: times.slice(-4).join(', '),
        where: what,
      });
  }
}

/** The result of an action, or `undefined` if it takes longer. */
export function within<Value>(ms: number, action: () => Value): Value | undefined {
  CONTEXT.action = action;
  try {
    return SCRIPT.runInContext(CONTEXT, { timeout: ms }) as Value;
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ERR_SCRIPT_EXECUTION_TIMEOUT') return undefined;
    throw cause;
  }
}

/** Only code that runs in a context can be stopped. */
const CONTEXT: { action?: () => unknown } = {};
vm.createContext(CONTEXT);
const SCRIPT = new vm.Script('action()');

function processorMs(action: () => unknown, what: string): number {
  const before = process.cpuUsage();
  CONTEXT.action = action;
  try {
    SCRIPT.runInContext(CONTEXT, { timeout: GIVE_UP_MS });
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ERR_SCRIPT_EXECUTION_TIMEOUT') return GIVE_UP_MS;
    throw new Violation({
      expected: 'that it is parsed, or rejected with a reason',
      found: cause instanceof Error ? (cause.stack ?? cause.message).slice(0, 600) : String(cause),
      where: what,
    });
  }
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}
