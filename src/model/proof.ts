import type { JsonObject } from './json.ts';

/** The output of `check-proof`. */
export function hasPassed({ reasons, failure }: JsonObject): boolean {
  return failure === undefined && Array.isArray(reasons) && reasons.length === 0;
}
