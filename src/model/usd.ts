/** A ten-billionth of a dollar: less than the price of one token. */
const UNITS_PER_USD = 1e10;

/** Without the noise of binary fractions: ten calls of $0.10 are $1, which reaches a budget of $1, not $0.9999999999999999. */
export function addUsd(a: number, b: number): number {
  return Math.round((a + b) * UNITS_PER_USD) / UNITS_PER_USD;
}
