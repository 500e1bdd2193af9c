/** Which notices somebody wants to get. */
import type { Notice } from './notice.ts';

/** By the name of the notice; `all` for every one. */
export type Subscription = Notice['type'] | 'all';

/**
 * How a verification ended is told to who wants to know of completion or of errors. A usage limit is told to who wants to know of errors or of
 * progress.
 */
export function isWanted(subscriptions: readonly Subscription[], notice: Notice): boolean {
  return subscriptions.includes('all') || wantedWith(notice).some((each) => subscriptions.includes(each));
}

function wantedWith(notice: Notice): readonly Subscription[] {
  switch (notice.type) {
    case 'verification':
      return [notice.status === 'pass' ? 'completion' : 'error'];
    case 'usage_limit':
      return ['error', 'status_update'];
    default:
      // Partial: every other notice is wanted by its own name.
      return [notice.type];
  }
}
