import { EXIT } from '../exit-codes.ts';

const SIGNALS: readonly number[] = Object.values(EXIT.interrupted);

/** The contract of this command: 0 or 1, or the code of the signal that ended it. */
export function contractCode(code: number): number {
  if (code === EXIT.done || SIGNALS.includes(code)) return code;
  return EXIT.failed;
}
