/**
 * When the server looks for changes next.
 *
 * E4 At most ten messages a second: two in any fifth of a second. One that comes alone is hardly delayed, and under load they are evenly spaced.
 */

/** The end of a step and the start of the next one are recorded within this time, and are one message. */
const MERGE_MS = 8;
/** A run that prints all the time changes its files all the time. */
const LOOK_MS = 25;
const SPAN_MS = 200;

export class Pace {
  #lookedAt = Number.NEGATIVE_INFINITY;
  /** When the last two messages were sent. */
  #sentAt: readonly [number, number] = [Number.NEGATIVE_INFINITY, Number.NEGATIVE_INFINITY];

  /** How long to wait after a change. */
  waitMs(now: number): number {
    return Math.max(MERGE_MS, this.#lookedAt + LOOK_MS - now, this.#sentAt[0] + SPAN_MS - now);
  }

  looked(now: number, hasSent: boolean): void {
    this.#lookedAt = now;
    if (hasSent) this.#sentAt = [this.#sentAt[1], now];
  }
}
