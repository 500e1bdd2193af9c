import type { Exit } from './exit.ts';
import type { EndedBecause, ProcessRequest } from './request.ts';
import { terminateTree } from './terminate-tree.ts';

const DEFAULT_GRACE_MS = 5_000;
const GIVE_UP_AFTER_MS = 1_000;
/** A longer timer would fire immediately. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** Watches one process: its time, its silence, the caller's signal. The first cause is the one recorded. */
export class Limits {
  readonly #request: ProcessRequest;
  readonly #root: { readonly pid: number; readonly mark: string; readonly startTime: string };
  readonly #timers: NodeJS.Timeout[] = [];
  #idle: NodeJS.Timeout | undefined;
  #ending: Promise<unknown> | undefined;
  #cause: EndedBecause | undefined;
  #giveUp: (exit: Exit) => void = () => {};
  /**
   * Resolves if the process could not be killed: it runs as another user, or is stuck in a device. The caller then
   * continues without it.
   */
  readonly givenUp = new Promise<Exit>((resolve) => {
    this.#giveUp = resolve;
  });

  constructor(request: ProcessRequest, root: { pid: number; mark: string; startTime: string }) {
    this.#request = request;
    this.#root = root;
    const { timeoutMs, idleTimeoutMs, signal } = request;
    if (timeoutMs !== undefined) {
      this.#timers.push(startTimer(timeoutMs, () => this.end({ type: 'timed-out', afterMs: timeoutMs })));
    }
    if (idleTimeoutMs !== undefined) {
      this.#idle = startTimer(idleTimeoutMs, () => this.end({ type: 'idle', afterMs: idleTimeoutMs }));
      this.#timers.push(this.#idle);
    }
    if (signal.aborted) this.#aborted();
    else signal.addEventListener('abort', this.#aborted, { once: true });
  }

  /** Output arrived. */
  alive(): void {
    if (this.#ending === undefined) this.#idle?.refresh();
  }

  /** Without a cause: an error of the runner itself, reported elsewhere. */
  end(cause?: EndedBecause): void {
    if (this.#ending !== undefined) return;
    this.#cause = cause;
    const { pid, mark, startTime } = this.#root;
    this.#ending = terminateTree(pid, {
      graceMs: this.#request.graceMs ?? DEFAULT_GRACE_MS,
      mark,
      ...(startTime === '' ? {} : { startTime }),
    }).then(() => {
      // A dead process is reaped within this time.
      setTimeout(this.#giveUp, GIVE_UP_AFTER_MS, { code: null, signal: 'SIGKILL' }).unref();
    });
    this.#release();
  }

  /** Called after the process has exited. If it was stopped, its descendants have ended too when this returns. */
  async settle(): Promise<EndedBecause | undefined> {
    this.#release();
    // From here on the pid may be reused.
    this.#ending ??= Promise.resolve();
    await this.#ending;
    return this.#cause;
  }

  readonly #aborted = (): void => this.end({ type: 'aborted', reason: this.#request.signal.reason });

  #release(): void {
    for (const timer of this.#timers) clearTimeout(timer);
    this.#idle = undefined;
    this.#request.signal.removeEventListener('abort', this.#aborted);
  }
}

function startTimer(ms: number, fire: () => void): NodeJS.Timeout {
  return setTimeout(fire, Math.min(ms, LONGEST_TIMER_MS));
}
