import type { RunEvent } from '../../model/event.ts';

/** Follows the events of a loop and writes or sends something of them. */
export interface LoopListener {
  event(event: RunEvent): void;
  close(): void;
}
