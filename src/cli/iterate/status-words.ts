import type { LeftState } from '../../operations/loops/site/left-state.ts';

/** A loop's status with what it waits for, or why it ended if the status does not say that. */
export function statusWords(
  { status, stopReason }: { readonly status: string; readonly stopReason?: string | undefined },
  left: LeftState | undefined,
): string {
  const isSaid = stopReason === 'complete' || stopReason === 'failed';
  const why = left !== undefined ? WORDS[left.type] : isSaid ? undefined : stopReason;
  return why === undefined ? status : `${status} (${why})`;
}

const WORDS: { readonly [Type in LeftState['type']]: string } = {
  interrupted: 'interrupted',
  paused: 'paused',
  waiting: 'waiting for an answer',
  answered: 'answered',
};
