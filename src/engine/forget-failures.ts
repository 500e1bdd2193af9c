import type { JournalEvent } from '../model/event.ts';
import { ownerOf, type StepKey } from '../model/ids.ts';
import { isJsonObject } from '../model/json.ts';
import type { Recorded } from './recorded.ts';

/**
 * A program that failed names, as `retryKeys` in its output, the steps whose failure ended it. Resuming runs those again and
 * answers everything else from the journal: their records are forgotten, and what was worked out from them — side records of the
 * step and of the containers around it. Attempts go on counting, so that no log is overwritten.
 */
export function forgetFailures(
  recorded: Recorded,
  ended: Extract<JournalEvent, { type: 'run-ended' }> | undefined,
): Recorded {
  const again = retryKeys(ended);
  if (again.size === 0) return recorded;
  const owners = new Set<string>();
  for (const key of again) {
    const segments = key.split('/');
    for (let length = 1; length <= segments.length; length += 1)
      owners.add(segments.slice(0, length).join('/'));
  }
  for (const [key, step] of recorded.steps) {
    const owner = ownerOf(key);
    if (key === owner ? !again.has(key) : !owners.has(owner)) continue;
    recorded.steps.delete(key);
    if (key === owner) {
      recorded.open.set(key, {
        startedAt: new Date().toISOString(),
        attempt: step.attempts,
        counted: 0,
        nextAt: step.endedAt,
        spentBefore: [],
      });
    }
  }
  for (const key of again) {
    recorded.answers.delete(key);
    recorded.asked.delete(key);
    recorded.times.delete(key);
  }
  return recorded;
}

function retryKeys(ended: Extract<JournalEvent, { type: 'run-ended' }> | undefined): Set<StepKey> {
  const output = ended?.output;
  const keys = isJsonObject(output) ? output['retryKeys'] : undefined;
  return new Set(Array.isArray(keys) ? (keys as StepKey[]) : []);
}
