import { unreachable } from '../../model/unreachable.ts';
import type { ReplayDivergence } from './check-replay.ts';

/** The lines of the message. */
export function describeDivergence(divergence: ReplayDivergence): readonly string[] {
  const { key, details, at } = divergence;
  return [`${key}  ${whatHappened(divergence)}`, ...details, ...(at === undefined ? [] : [`at ${at}`])];
}

/** Whether recorded answers can be kept for what the program asks for now. */
export function canBeAccepted({ type }: ReplayDivergence): boolean {
  return type !== 'other-effect' && type !== 'threw';
}

function whatHappened({ type }: ReplayDivergence): string {
  switch (type) {
    case 'other-effect':
      return 'is another kind of call now';
    case 'other-input':
      return 'asked for something else';
    case 'other-order':
      return 'comes in another order';
    case 'not-asked':
      return 'is recorded, but the program no longer asks for it';
    case 'threw':
      return 'was not reached: the program threw an error';
    default:
      return unreachable(type);
  }
}
