/** Which step a log file belongs to, and which files are meant by a step that the user names. */
import type { JournalEvent } from '../../model/event.ts';
import { ownerOf, type StepKey } from '../../model/ids.ts';
import { ItemNames } from '../../model/item-name.ts';
import { notedIn } from '../../model/noted.ts';
import { error, ok, type Result } from '../../model/result.ts';
import { nearest } from '../../model/suggest.ts';
import { stepFileStem } from '../../store/layout.ts';
import type { FindStepProblem } from '../problem.ts';
import { stepKeysIn } from './find-step.ts';
import { stemOf } from './log-files.ts';

/** Steps by what the user wrote: one key, or everything inside a loop, an item, a branch, or all steps of one name. */
export interface NamedSteps {
  /** It names one step with logs of its own. */
  readonly isOne: boolean;
  includes(key: StepKey): boolean;
}

/** A key names its step and all steps inside it; a name, all steps that have it. */
export function findSteps(
  events: readonly JournalEvent[],
  asked: string,
): Result<NamedSteps, FindStepProblem> {
  const steps = stepKeysIn(events);
  const choices: readonly NamedSteps['includes'][] = [
    (key) => key === asked || key.startsWith(`${asked}/`),
    (key) => `/${key}/`.includes(`/${asked}/`),
  ];
  for (const includes of choices) {
    const found = steps.filter(includes);
    const [first] = found;
    if (first === undefined) continue;
    return ok({ isOne: found.length === 1 && (first === asked || first.endsWith(`/${asked}`)), includes });
  }
  return error({ type: 'no-such-step', asked, near: nearest(asked, steps), steps });
}

interface LogOwner {
  readonly key: StepKey | undefined;
  readonly item: string | undefined;
}

export class LogSteps {
  readonly #events: () => readonly JournalEvent[];
  readonly #owners = new Map<string, LogOwner>();

  /** `events` is called again for the log of a step that was not there before. */
  constructor(events: () => readonly JournalEvent[]) {
    this.#events = events;
  }

  keyOf(name: string): StepKey | undefined {
    return this.#ownerOf(name).key;
  }

  /** `Review.3.Ask.stdout [src/a.ts]`. */
  titleOf(name: string): string {
    const { item } = this.#ownerOf(name);
    return item === undefined || item === '' ? name : `${name} [${item}]`;
  }

  #ownerOf(name: string): LogOwner {
    const stem = stemOf(name);
    if (!this.#owners.has(stem)) this.#read();
    const owner = this.#owners.get(stem);
    if (owner !== undefined) return owner;
    // A step is recorded before it writes anything, so this file belongs to none.
    const nobody = { key: undefined, item: undefined };
    this.#owners.set(stem, nobody);
    return nobody;
  }

  #read(): void {
    const names = new ItemNames();
    for (const event of this.#events()) {
      if (event.type === 'step-started') {
        const key = ownerOf(event.key);
        const stem = stepFileStem(key, 1);
        if (!this.#owners.has(stem)) this.#owners.set(stem, { key, item: names.of(key) });
      } else if (event.type === 'step-ended') {
        const noted = notedIn(event);
        if (noted !== undefined) names.apply(noted);
      }
    }
  }
}
