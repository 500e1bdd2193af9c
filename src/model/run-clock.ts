import type { RunEvent } from './event.ts';

/**
 * How long a run has been executed, for every view: from the start of each process to its end, or to its last record before it
 * was killed. Times without a process do not count.
 */
export class RunClock {
  #before = 0;
  #begunAt: number | undefined;
  /** The latest time; parsed only when it is asked for, since a long run has hundreds of thousands of events. */
  #latest = '';

  apply(event: RunEvent): void {
    // Part of its step, whose start is known.
    if (event.type === 'process-started') return;
    switch (event.type) {
      case 'run-started':
      case 'run-resumed':
        this.#before = this.ms;
        this.#begunAt = Date.parse(event.at);
        this.#latest = event.at;
        break;
      case 'run-ended':
        if (this.#begunAt === undefined) break;
        this.#latest = event.at;
        this.#before = this.ms;
        this.#begunAt = undefined;
        break;
      default:
        // Partial: every other event only advances the clock.
        if (this.#begunAt !== undefined && isLater(event.at, this.#latest)) this.#latest = event.at;
    }
  }

  get hasBegun(): boolean {
    return this.#latest !== '';
  }

  get ms(): number {
    if (this.#begunAt === undefined) return this.#before;
    return this.#before + Math.max(0, Date.parse(this.#latest) - this.#begunAt);
  }

  /** The same for a run that is running now. */
  msAt(now: number): number {
    return this.#begunAt === undefined ? this.ms : this.#before + Math.max(0, now - this.#begunAt);
  }
}

/** Times in one form are ordered as texts. */
function isLater(at: string, than: string): boolean {
  return at.length === than.length ? at > than : Date.parse(at) > Date.parse(than);
}
