import type { JournalEvent } from '../model/event.ts';
import type { StepKey } from '../model/ids.ts';

export interface StartedProcess {
  readonly pid: number;
  readonly startTime: string;
}

/** Processes of steps that the journal shows as running: a killed owner may have left them behind. */
export function openProcesses(events: readonly JournalEvent[]): readonly StartedProcess[] {
  const open = new Map<StepKey, StartedProcess[]>();
  for (const event of events) {
    switch (event.type) {
      case 'process-started': {
        const { pid, startTime } = event;
        open.set(event.key, [...(open.get(event.key) ?? []), { pid, startTime }]);
        break;
      }
      case 'step-ended':
      case 'attempt-ended':
        open.delete(event.key);
        break;
      case 'run-ended':
        open.clear();
        break;
      default:
        // Partial: no other event starts or ends a process.
        break;
    }
  }
  return [...open.values()].flat();
}
