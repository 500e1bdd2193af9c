import type { JournalEvent } from '../../model/event.ts';
import type { StepKey } from '../../model/ids.ts';
import { isJsonObject } from '../../model/json.ts';
import { INTERRUPTED, OpenCalls } from '../../model/open-calls.ts';
import type { Spent } from '../../model/record.ts';
import { sumSpent } from '../../model/sum-spent.ts';

/** What a run has spent on each task so far, from its journal: the documents have it only when the tasks end. */
export class TaskSpending {
  readonly #calls = new Map<string, Spent[]>();
  readonly #open = new OpenCalls();

  apply(event: JournalEvent): void {
    for (const key of this.#open.apply(event)) this.#add(key, INTERRUPTED);
    switch (event.type) {
      case 'attempt-ended':
      case 'attempt-asked':
        if (event.spent !== undefined) this.#add(event.key, event.spent);
        return;
      case 'step-ended': {
        const spent = isJsonObject(event.output) ? event.output['spent'] : undefined;
        if (spent !== undefined) this.#add(event.key, spent as unknown as Spent);
        return;
      }
      default: // Partial: other events cost nothing.
        return;
    }
  }

  /** `isAlive`: the calls that are open are running; otherwise they ended with the process. */
  byTask(isAlive: boolean): ReadonlyMap<string, Spent> {
    if (!isAlive) for (const key of this.#open.open) this.#add(key, INTERRUPTED);
    const sums = [...this.#calls].flatMap(([task, calls]) => {
      const spent = sumSpent(calls);
      return spent === undefined ? [] : [[task, spent] as const];
    });
    return new Map(sums);
  }

  #add(key: StepKey, spent: Spent): void {
    const task = taskIn(key);
    const calls = this.#calls.get(task);
    if (calls === undefined) this.#calls.set(task, [spent]);
    else calls.push(spent);
  }
}

/** `IMPL-1/check` → `IMPL-1`. */
export function taskIn(key: string): string {
  return key.split('/', 1)[0] ?? key;
}
