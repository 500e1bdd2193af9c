import type { JournalEvent } from './event.ts';

/** Whether this start follows one of an earlier owner: the step runs again, or its worker is still running it. */
export function againIn({
  again,
  repeated,
}: Pick<Extract<JournalEvent, { type: 'step-started' }>, 'again' | 'repeated'>):
  | 'repeated'
  | 'attached'
  | undefined {
  return again ?? (repeated === true ? 'repeated' : undefined);
}
