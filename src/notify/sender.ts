import { shownAddress } from '../model/address.ts';
import type { Message } from './notice.ts';
import { type NotifyTarget, renderRequest } from './render-request.ts';

export interface SenderOptions {
  readonly target: NotifyTarget;
  readonly timeoutMs?: number;
  /** Called once; messages that cannot be sent are dropped. */
  onProblem(problem: string): void;
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
    if (this.#waiting.length > MOST_WAITING) this.#waiting.shift();
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
    this.#waiting.length = 0;
    this.#stop.abort(new Error('timed out'));
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
    this.#options.onProblem(`cannot notify ${shownAddress(this.#options.target.url)}: ${why}`);
  }
}
