import type { Limits } from './limits.ts';

/**
 * Holds an error thrown by a callback of the caller. The process is stopped, its resources are released as usual,
 * and only then is the error thrown: thrown at once it would leave an unwatched process.
 */
export class CallerTrouble {
  readonly #limits: Limits;
  #first: { readonly thrown: unknown } | undefined;

  constructor(limits: Limits) {
    this.#limits = limits;
  }

  call(callback: () => void): void {
    try {
      callback();
    } catch (thrown) {
      this.#first ??= { thrown };
      this.#limits.end();
    }
  }

  rethrow(): void {
    if (this.#first !== undefined) throw this.#first.thrown;
  }
}
