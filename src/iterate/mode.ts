export const MODES = ['loop', 'iterative'] as const;
export type Mode = (typeof MODES)[number];

/** Default limits. */
export const MODE_MAX_ITERATIONS: { readonly [Name in Mode]: number } = { loop: 50, iterative: 20 };

export const NOTIFY_EVENTS = [
  'setup_complete',
  'execution_start',
  'iteration',
  'iteration_milestone',
  'completion',
  'error',
  'status_update',
  'all',
] as const;
export type NotifyEvent = (typeof NOTIFY_EVENTS)[number];

export const DEPTHS = ['quick', 'standard', 'deep'] as const;
export type Depth = (typeof DEPTHS)[number];

export const OUTPUT_LEVELS = ['quiet', 'progress', 'verbose'] as const;
export type OutputLevel = (typeof OUTPUT_LEVELS)[number];
