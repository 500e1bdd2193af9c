/** Where and about what a user is notified of a run, as set in a workflow or a configuration file. */

export const NOTIFY_EVENTS = ['waiting', 'failed', 'completed', 'limit-wait', 'resumed', 'budget'] as const;
export type NotifyEventName = (typeof NOTIFY_EVENTS)[number];

export const NOTIFY_FORMATS = ['ntfy', 'slack', 'discord', 'json', 'desktop', 'bell'] as const;
export type NotifyFormatName = (typeof NOTIFY_FORMATS)[number];

export interface NotifySetting {
  readonly url?: string;
  readonly format?: NotifyFormatName;
  /** A program that gets the message as JSON on its standard input. */
  readonly command?: readonly string[];
  readonly events: readonly NotifyEventName[];
}
