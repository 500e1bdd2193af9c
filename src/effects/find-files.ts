import type { Effect } from '../engine/durable.ts';
import { findFiles } from '../store/glob.ts';
import type { FindFilesInput, FindFilesOutput } from './contracts.ts';

export const findFilesEffect: Effect<FindFilesInput, FindFilesOutput> = async (
  { patterns },
  { run, signal },
) => {
  const matches: (readonly string[])[] = [];
  for (const pattern of patterns) {
    signal.throwIfAborted();
    const found = findFiles(run.workspace, pattern);
    if (found.type === 'error') return { matches, failure: found.error };
    matches.push(found.value);
  }
  return { matches };
};
