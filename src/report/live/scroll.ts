import type { Line } from './lines.ts';

/** Most lines of finished steps shown per second; a person cannot read more. */
const LINES_PER_SECOND = 50;
/** How long omitted lines are counted before the count is shown. */
const GATHER_MS = 1000;

/**
 * Decides which lines scroll by. Below the rate limit all do; above it completed steps are only counted, and the count is shown at
 * most once a second. Everything other than a plain success is always shown.
 */
export class Scroll {
  readonly #waiting: Line[] = [];
  #allowance = LINES_PER_SECOND;
  #allowedAt: number | undefined;
  #leftOut = 0;
  #saidAt = Number.NEGATIVE_INFINITY;

  add(lines: readonly Line[]): void {
    this.#waiting.push(...lines);
  }

  get isEmpty(): boolean {
    return this.#waiting.length === 0 && this.#leftOut === 0;
  }

  /** Returns the lines to write now. At the end (`last`) nothing is held back. */
  take(now: number, last = false): readonly Line[] {
    const passed = now - (this.#allowedAt ?? now);
    this.#allowedAt = now;
    this.#allowance = Math.min(LINES_PER_SECOND, this.#allowance + (passed * LINES_PER_SECOND) / 1000);
    const waiting = this.#waiting.splice(0);
    const shown: Line[] = [];
    for (const line of waiting) {
      const isOrdinary = line.type === 'completed' || line.type === 'message';
      if (isOrdinary && this.#allowance < 1) {
        if (line.type === 'completed') this.#leftOut += 1;
        continue;
      }
      this.#allowance -= 1;
      shown.push(line);
    }
    if (this.#leftOut > 0 && (last || waiting.length === 0 || now - this.#saidAt >= GATHER_MS)) {
      shown.push({
        type: 'completed',
        name: '',
        text: `${this.#leftOut} more ${this.#leftOut === 1 ? 'step' : 'steps'}`,
      });
      this.#leftOut = 0;
      this.#saidAt = now;
    }
    return shown;
  }
}
