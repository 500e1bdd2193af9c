import { EXIT } from '../exit-codes.ts';

const SIGNALS: readonly number[] = Object.values(EXIT.interrupted);

/** The contract of this command: 0 or 1, 3 while it waits for an answer, or the code of the signal that ended it. */
export function contractCode(code: number): number {
  if (code === EXIT.done || code === EXIT.waiting || SIGNALS.includes(code)) return code;
  return EXIT.failed;
}
