/** The events of a followed run, in the order of a local one: what a step does right now is shown after its start and before its end, or not at all. */
import type { AnnouncedProgress } from '../engine/dbos/live-progress.ts';
import type { JournalEvent, RunEvent } from '../model/event.ts';
import type { StepKey } from '../model/ids.ts';

/** Steps that announce something before their start has been read. */
const MOST_EARLY = 200;

export class LiveSteps {
  readonly #onEvent: (event: RunEvent) => void;
  /** Key → attempt. */
  readonly #running = new Map<string, number>();
  #early: AnnouncedProgress[] = [];

  constructor(onEvent: (event: RunEvent) => void) {
    this.#onEvent = onEvent;
  }

  record(event: JournalEvent): void {
    this.#onEvent(event);
    if (event.type === 'step-started') {
      const { key, attempt } = event;
      this.#running.set(key, attempt);
      for (const early of this.#early) if (this.#isRunning(early)) this.#show(early);
      this.#early = this.#early.filter((early) => early.key !== key || early.attempt > attempt);
    } else if (event.type === 'step-ended' || event.type === 'attempt-ended') {
      this.#running.delete(event.key);
    } else if (event.type === 'run-resumed') {
      this.#running.clear();
      this.#early = [];
    }
  }

  /** False if the start of its step has not been read. */
  hear(said: string): boolean {
    const announced = JSON.parse(said) as AnnouncedProgress;
    if (this.#isRunning(announced)) {
      this.#show(announced);
      return true;
    }
    this.#early = [...this.#early.slice(1 - MOST_EARLY), announced];
    return false;
  }

  #isRunning({ key, attempt }: AnnouncedProgress): boolean {
    return this.#running.get(key) === attempt;
  }

  #show({ key, progress }: AnnouncedProgress): void {
    const at = new Date().toISOString();
    for (const each of progress) this.#onEvent({ type: 'progress', at, key: key as StepKey, progress: each });
  }
}
