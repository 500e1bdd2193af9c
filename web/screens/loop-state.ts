/** How a loop is, and why it stopped or waits, in words. */
import type { ListedLoop } from '../../src/operations/loops/list-loops.ts';

type LoopState = Pick<ListedLoop, 'metadata' | 'isRunning' | 'left'>;

const LEFT = {
  waiting: ['waiting', 'Waiting'],
  answered: ['interrupted', 'Answered'],
  paused: ['interrupted', 'Paused'],
  interrupted: ['interrupted', 'Interrupted'],
} as const;

const STOPPED: { readonly [reason: string]: string } = {
  complete: 'The task is complete.',
  stagnation: 'There was nothing more to do.',
  'max-iterations': 'It reached its maximum of iterations.',
  stopped: 'It was stopped.',
  abort: 'The agent gave up.',
  budget: 'Its budget is used up.',
  verification: 'Its verification failed.',
  failed: 'It failed.',
};

/** Its icon and its word. */
export function stateOf({ metadata, isRunning, left }: LoopState): readonly [status: string, word: string] {
  const { status, stopReason, lastRun } = metadata;
  if (isRunning) return ['running', 'Running'];
  if (left !== undefined) return LEFT[left.type];
  if (status === 'completed')
    return ['completed', stopReason === 'stagnation' ? 'No more work' : 'Completed'];
  if (status === 'error' || stopReason === 'budget' || stopReason === 'verification')
    return ['failed', 'Failed'];
  return lastRun === undefined ? ['skipped', 'Not run yet'] : ['interrupted', 'Stopped'];
}

/** What matters most about it: its questions, why it failed, or else what it did last. */
export function lineOf(loop: LoopState): string {
  const { metadata, left } = loop;
  const [status] = stateOf(loop);
  if (left?.type === 'waiting') return left.questions.map(({ message }) => message).join('\n');
  const ended = STOPPED[metadata.stopReason ?? ''] ?? metadata.stopReason;
  if (status === 'failed' && ended !== undefined) return ended;
  if (left?.type === 'answered') return 'Its questions are answered; it continues when it is run.';
  return metadata.run?.summary ?? ended ?? 'Not run yet.';
}
