import type { RunEvent } from './event.ts';

/**
 * How long a run has been executed, for every view: from the start of each process to its end, or to its last record before it
 * was killed. Times without a process do not count.
 */
export class RunClock {
  #before = 0;
  #begunAt: number | undefined;
  #lastAt = 0;

  apply(event: RunEvent): void {
    // Part of its step, whose start is known.
    if (event.type === 'process-started') return;
    const at = Date.parse(event.at);
    switch (event.type) {
      case 'run-started':
      case 'run-resumed':
        this.#before = this.ms;
        this.#begunAt = at;
        this.#lastAt = at;
        break;
      case 'run-ended':
        if (this.#begunAt === undefined) break;
        this.#lastAt = at;
        this.#before = this.ms;
        this.#begunAt = undefined;
        break;
      default:
        // Partial: every other event only advances the clock.
        if (this.#begunAt !== undefined) this.#lastAt = Math.max(this.#lastAt, at);
    }
  }

  get hasBegun(): boolean {
    return this.#lastAt > 0;
  }

  get ms(): number {
    return this.#before + (this.#begunAt === undefined ? 0 : Math.max(0, this.#lastAt - this.#begunAt));
  }

  /** The same for a run that is running now. */
  msAt(now: number): number {
    return this.#begunAt === undefined ? this.ms : this.#before + Math.max(0, now - this.#begunAt);
  }
}
