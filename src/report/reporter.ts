import type { RunEvent } from '../model/event.ts';

/** A view of a run while it happens: the terminal panel, plain lines, JSON lines, nothing at all. */
export interface Reporter {
  event(event: RunEvent): void;
  /** Leaves the screen as it should stay. */
  close(): void;
}
