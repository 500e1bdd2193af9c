import { type Delivery, Rejected } from './delivery.ts';
import type { Message } from './notice.ts';

export interface SenderOptions {
  readonly delivery: Delivery;
  readonly timeoutMs?: number;
  /** Pauses before further attempts to send the same message; default: there are none. */
  readonly retryAfterMs?: readonly number[];
  /** Called once; messages that cannot be sent are dropped. */
  onProblem(problem: string): void;
  /** Called when a message was sent or dropped. */
  onSettled?(message: Message): void;
}

const TIMEOUT_MS = 10_000;
/** Above this number of waiting messages the oldest are dropped, so that a service that is down does not fill memory. */
const MOST_WAITING = 1000;

/** Sends messages in order, in the background. Never throws and never blocks the caller. */
export class Sender {
  readonly #options: SenderOptions;
  readonly #waiting: Message[] = [];
  readonly #stop = new AbortController();
  #sending: Promise<void> | undefined;
  #hasFailed = false;

  constructor(options: SenderOptions) {
    this.#options = options;
  }

  send(message: Message): void {
    this.#waiting.push(message);
    const dropped = this.#waiting.length > MOST_WAITING ? this.#waiting.shift() : undefined;
    if (dropped !== undefined) this.#options.onSettled?.(dropped);
    this.#sending ??= this.#sendAll();
  }

  /** Resolves when everything is sent, or after `atMostMs`; the rest is dropped. */
  async drain(atMostMs: number): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const limit = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, atMostMs);
    });
    await Promise.race([this.#sending ?? Promise.resolve(), limit]);
    clearTimeout(timer);
    for (const message of this.#waiting.splice(0)) this.#options.onSettled?.(message);
    this.#stop.abort(new Error('timed out'));
    await this.#sending;
  }

  async #sendAll(): Promise<void> {
    for (let message = this.#waiting.shift(); message !== undefined; message = this.#waiting.shift()) {
      await this.#sendOne(message);
      this.#options.onSettled?.(message);
    }
    this.#sending = undefined;
  }

  async #sendOne(message: Message): Promise<void> {
    const { delivery, timeoutMs = TIMEOUT_MS, retryAfterMs = [] } = this.#options;
    for (const pause of [...retryAfterMs, undefined]) {
      try {
        await delivery.deliver(message, AbortSignal.any([this.#stop.signal, AbortSignal.timeout(timeoutMs)]));
        return;
      } catch (cause) {
        const isOver = pause === undefined || cause instanceof Rejected || this.#stop.signal.aborted;
        if (isOver) return this.#failed(cause);
      }
      if (pause !== undefined) await this.#pause(pause);
    }
  }

  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const done = (): void => {
        clearTimeout(timer);
        resolve();
      };
      const timer = setTimeout(done, ms);
      this.#stop.signal.addEventListener('abort', done, { once: true });
    });
  }

  #failed(cause: unknown): void {
    if (this.#hasFailed) return;
    this.#hasFailed = true;
    const { message, cause: inner } = cause as Error & { cause?: { message?: string } };
    this.#options.onProblem(`cannot notify ${this.#options.delivery.shown}: ${inner?.message ?? message}`);
  }
}
