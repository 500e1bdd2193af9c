/** Where a run sends its notifications, and about what. */

/** What every kind of run can report. */
export const NOTIFY_EVENTS = ['waiting', 'failed', 'completed', 'limit-wait', 'resumed', 'budget'] as const;
export type NotifyEventName = (typeof NOTIFY_EVENTS)[number];

/** Those that need a person, or end a wait for one. `resumed` is sent only if it is named. */
export const USUAL_EVENTS: readonly NotifyEventName[] = [
  'waiting',
  'failed',
  'completed',
  'limit-wait',
  'budget',
];

export const SERVICE_FORMATS = ['ntfy', 'slack', 'discord', 'json'] as const;
export type ServiceFormat = (typeof SERVICE_FORMATS)[number];

export interface NotifyChannel {
  readonly way: NotifyWay;
  readonly events: readonly NotifyEventName[];
}

export type NotifyWay =
  | { readonly type: 'service'; readonly url: string; readonly format: ServiceFormat }
  /** The address is in an environment variable. */
  | { readonly type: 'service-in'; readonly variable: string; readonly format: ServiceFormat }
  | { readonly type: 'desktop' }
  | { readonly type: 'bell' }
  | { readonly type: 'command'; readonly argv: readonly string[] };
