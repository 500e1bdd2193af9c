/**
 * The events of one run, for any number of readers.
 *
 * F1 A reader gets every event from when it began to read, in order, however slow it is. The first one also gets what happened before: the
 *    last `MOST_KEPT` events, without progress.
 * F2 A reader that has an event and has not asked for the next one is handling it. `handled` waits for that, so that an answer it gives
 *    reaches the run before the run ends as waiting.
 * F3 A reader that waits for the end of the run while it handles an event is not waited for until it asks for the next one: `letGo`. Who waits
 *    for the end is not known, so that may be another part of the program: the reader keeps its events.
 */
import type { RunEvent } from '../../model/event.ts';

interface Reader {
  readonly queue: RunEvent[];
  /** It waits for an event. */
  wake: (() => void) | undefined;
  isHandling: boolean;
  /** F3 */
  isLetGo: boolean;
}

const MOST_KEPT = 10_000;

export class EventFeed {
  /** Until there is a reader. */
  #kept: RunEvent[] | undefined = [];
  readonly #readers = new Set<Reader>();
  #isEnded = false;
  #onHandled: (() => void) | undefined;

  push(event: RunEvent): void {
    if (this.#kept !== undefined && event.type !== 'progress') {
      this.#kept.push(event);
      if (this.#kept.length > MOST_KEPT) this.#kept.shift();
    }
    for (const reader of this.#readers) {
      reader.queue.push(event);
      reader.wake?.();
    }
  }

  end(): void {
    this.#isEnded = true;
    for (const reader of this.#readers) reader.wake?.();
  }

  /** F2 */
  async handled(): Promise<void> {
    while ([...this.#readers].some(isAtWork)) {
      await new Promise<void>((resolve) => {
        this.#onHandled = resolve;
      });
    }
  }

  /** F3 */
  letGo(): void {
    for (const reader of this.#readers) reader.isLetGo ||= reader.isHandling;
    this.#onHandled?.();
  }

  async *read(): AsyncGenerator<RunEvent, void> {
    const reader: Reader = { queue: this.#kept ?? [], wake: undefined, isHandling: false, isLetGo: false };
    this.#kept = undefined;
    this.#readers.add(reader);
    try {
      for (;;) {
        reader.isHandling = false;
        reader.isLetGo = false;
        const event = reader.queue.shift();
        if (event === undefined) {
          this.#onHandled?.();
          if (this.#isEnded) return;
          await new Promise<void>((resolve) => {
            reader.wake = resolve;
          });
          reader.wake = undefined;
          continue;
        }
        reader.isHandling = true;
        yield event;
      }
    } finally {
      this.#readers.delete(reader);
      this.#onHandled?.();
    }
  }
}

function isAtWork({ isHandling, isLetGo, queue }: Reader): boolean {
  return !isLetGo && (isHandling || queue.length > 0);
}
