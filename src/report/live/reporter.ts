import type { RunEvent } from '../../model/event.ts';

/** A view of a run while it happens: the terminal panel, plain lines, JSON lines, nothing at all. */
export interface Reporter {
  event(event: RunEvent): void;
  /** Something to be told besides the events, such as that a signal came; it does not disturb what stands on the screen. */
  say(text: string): void;
  /** Leaves the screen as it should stay. */
  close(): void;
}
