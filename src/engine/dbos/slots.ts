/** How many calls of a label run at once on this worker, whichever queue they came from. */
export class Slots {
  readonly #most: (label: string) => number;
  readonly #taken = new Map<string, number>();
  readonly #waiting: Waiting[] = [];

  constructor(most: (label: string) => number) {
    this.#most = most;
  }

  /** Waits for a free slot, in the order of the calls; without one, until the signal is aborted. Returns how to give it back. */
  async take(label: string, signal: AbortSignal): Promise<() => void> {
    const taken = this.#taken.get(label) ?? 0;
    if (taken < this.#most(label)) this.#taken.set(label, taken + 1);
    else if (!(await this.#turn(label, signal))) return () => {};
    return () => this.#giveBack(label);
  }

  /** The next call gets it. */
  #giveBack(label: string): void {
    const next = this.#waiting.find((one) => one.label === label);
    if (next === undefined) this.#taken.set(label, (this.#taken.get(label) ?? 1) - 1);
    else next.end(true);
  }

  #turn(label: string, signal: AbortSignal): Promise<boolean> {
    return new Promise((resolve) => {
      const stop = (): void => one.end(false);
      const one: Waiting = {
        label,
        end: (hasSlot) => {
          this.#waiting.splice(this.#waiting.indexOf(one), 1);
          signal.removeEventListener('abort', stop);
          resolve(hasSlot);
        },
      };
      this.#waiting.push(one);
      if (signal.aborted) stop();
      else signal.addEventListener('abort', stop, { once: true });
    });
  }
}

interface Waiting {
  readonly label: string;
  end(hasSlot: boolean): void;
}
