import type { JournalEvent } from '../model/event.ts';

/** The records of a run's processes: that one started it, resumed it or ended. There are few of them, however long the run. */
export type Milestone = Extract<JournalEvent, { type: 'run-started' | 'run-resumed' | 'run-ended' }>;

export function isMilestone(event: JournalEvent): event is Milestone {
  return event.type === 'run-started' || event.type === 'run-resumed' || event.type === 'run-ended';
}
