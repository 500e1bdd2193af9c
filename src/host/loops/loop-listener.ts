import type { RunEvent } from '../../model/event.ts';

/** Follows the events of a loop and logs or sends them. */
export interface LoopListener {
  event(event: RunEvent): void;
  close(): void;
}
