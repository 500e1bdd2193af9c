/** Which notices a user has subscribed to. */
import type { Notice } from './notice.ts';

/** The name of a notice, or `all`. */
export type Subscription = Notice['type'] | 'all';

/**
 * Subscribers of errors also get what keeps a task from completing: a failed verification, the maximum, a usage limit. The latter is
 * progress too.
 */
export function isWanted(subscriptions: readonly Subscription[], notice: Notice): boolean {
  return subscriptions.includes('all') || wantedWith(notice).some((each) => subscriptions.includes(each));
}

function wantedWith(notice: Notice): readonly Subscription[] {
  switch (notice.type) {
    case 'verification':
      return notice.status === 'pass' ? [] : ['error'];
    case 'ended':
      return ['error'];
    case 'question':
    case 'usage_limit':
      return ['error', 'status_update'];
    default:
      // Partial: every other notice is subscribed to by its own name.
      return [notice.type];
  }
}
