import type { Message } from './notice.ts';
import { type NotifyTarget, renderRequest } from './render-request.ts';

export interface SenderOptions {
  readonly target: NotifyTarget;
  readonly timeoutMs?: number;
  /** Told once; what cannot be sent is left. */
  onProblem(problem: string): void;
}

const TIMEOUT_MS = 10_000;
/** More that wait than this, and the oldest are left: a service that is down must not fill the memory. */
const MOST_WAITING = 1000;

/** Sends one after the other, in order, beside everything else. Nothing here throws or holds anybody up. */
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
    if (this.#waiting.length > MOST_WAITING) this.#waiting.shift();
    this.#sending ??= this.#sendAll();
  }

  /** At the end: resolves when all is sent, or after this long; what is not sent then is left. */
  async drain(atMostMs: number): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const limit = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, atMostMs);
    });
    await Promise.race([this.#sending ?? Promise.resolve(), limit]);
    clearTimeout(timer);
    this.#waiting.length = 0;
    this.#stop.abort(new Error('it took too long'));
  }

  async #sendAll(): Promise<void> {
    for (let message = this.#waiting.shift(); message !== undefined; message = this.#waiting.shift()) {
      await this.#sendOne(message);
    }
    this.#sending = undefined;
  }

  async #sendOne(message: Message): Promise<void> {
    try {
      const { url, headers, body } = renderRequest(this.#options.target, message);
      const response = await fetch(url, {
        method: 'POST',
        headers,
        body,
        signal: AbortSignal.any([
          this.#stop.signal,
          AbortSignal.timeout(this.#options.timeoutMs ?? TIMEOUT_MS),
        ]),
      });
      await response.body?.cancel();
      if (!response.ok) this.#failed(`the service answered HTTP ${response.status}`);
    } catch (cause) {
      const { message: words, cause: inner } = cause as Error & { cause?: { message?: string } };
      this.#failed(inner?.message ?? words);
    }
  }

  #failed(why: string): void {
    if (this.#hasFailed) return;
    this.#hasFailed = true;
    this.#options.onProblem(`notifications cannot be sent: ${why}`);
  }
}
