import type { JournalEvent } from '../model/event.ts';
import type { StepKey } from '../model/ids.ts';

export interface StartedProcess {
  readonly pid: number;
  readonly startTime: string;
}

/** Processes of steps that the journal shows as running: a killed owner may have left them behind. */
export class OpenProcesses {
  readonly #open = new Map<StepKey, StartedProcess[]>();

  get all(): readonly StartedProcess[] {
    return [...this.#open.values()].flat();
  }

  apply(event: JournalEvent): void {
    switch (event.type) {
      case 'process-started': {
        const { key, pid, startTime } = event;
        const started = this.#open.get(key);
        if (started === undefined) this.#open.set(key, [{ pid, startTime }]);
        else started.push({ pid, startTime });
        break;
      }
      case 'step-ended':
      case 'attempt-ended':
      case 'attempt-asked':
        this.#open.delete(event.key);
        break;
      case 'run-ended':
        this.#open.clear();
        break;
      default:
        // Partial: no other event starts or ends a process.
        break;
    }
  }
}
