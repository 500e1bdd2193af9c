import type { Limits } from './limits.ts';

/**
 * What the caller throws when it is told of a process. The process is ended, everything it holds is given back in the ordinary
 * way, and only then does the caller get its error: thrown at once it would leave a process that nobody watches.
 */
export class CallerTrouble {
  readonly #limits: Limits;
  #first: { readonly thrown: unknown } | undefined;

  constructor(limits: Limits) {
    this.#limits = limits;
  }

  call(tell: () => void): void {
    try {
      tell();
    } catch (thrown) {
      this.#first ??= { thrown };
      this.#limits.end();
    }
  }

  rethrow(): void {
    if (this.#first !== undefined) throw this.#first.thrown;
  }
}
