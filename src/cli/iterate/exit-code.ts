import { EXIT } from '../exit-codes.ts';

const SIGNALS: readonly number[] = Object.values(EXIT.interrupted);

/** The contract of this command: 0 or 1, and what a signal ends with. */
export function contractCode(code: number): number {
  if (code === EXIT.done || SIGNALS.includes(code)) return code;
  return EXIT.failed;
}
