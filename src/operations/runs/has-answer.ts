import { isAnswered } from '../../engine/read-answer.ts';
import type { StepKey } from '../../model/ids.ts';
import type { Site } from '../site.ts';
import { readRunHead } from './run-head.ts';

/** Whether one of the questions that a run waits for has been answered since it stopped. */
export function hasAnswer(site: Site, run: string): boolean {
  const read = readRunHead(site, run);
  if (read.type === 'error') return false;
  const { state, paths } = read.value;
  return Object.entries(state.waiting_for ?? {}).some(([key, question]) =>
    isAnswered(paths, key as StepKey, question),
  );
}
