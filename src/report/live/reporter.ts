import type { RunEvent } from '../../model/event.ts';

/** A view of a run while it is running: the terminal panel, plain lines, JSON lines, or nothing. */
export interface Reporter {
  event(event: RunEvent): void;
  /** Shows a message that is not an event, such as a received signal, without disturbing the screen. */
  say(text: string): void;
  /** The run is being stopped: what is running ends without an event, and what starts afterwards is `finally`. */
  stopping?(): void;
  /** Ends the view and leaves the screen in its final state. */
  close(): void;
}
