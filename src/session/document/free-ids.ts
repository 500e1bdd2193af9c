import { compareNumbers, numberOf, stemOf, type TaskId, type TaskNumber } from '../ids.ts';

/** The next free ids, in the form of those in use: after `IMPL-010` comes `IMPL-011`, after `IMPL-B2` `IMPL-B3`, after `impl-1` `impl-2`. */
export class FreeIds {
  readonly #highestMain = new Map<string, number>();
  readonly #highestSub = new Map<string, number>();
  /** Group → everything before the number, as it is written. */
  readonly #stems = new Map<string, string>();
  /** The last group in use; plain ids come before all groups. */
  #last: TaskNumber | undefined;
  #hasPlain = false;
  /** Number of digits, if ids have leading zeros. */
  #mainDigits = 0;
  #subDigits = 0;

  constructor(used: Iterable<TaskId>) {
    for (const id of used) this.#use(id);
  }

  /** That of a main task, or of a subtask of `parent`. */
  next(parent?: TaskId): TaskId {
    const id = (parent === undefined ? this.#nextMain() : this.#nextSub(parent)) as TaskId;
    this.#use(id);
    return id;
  }

  #nextMain(): string {
    const group = this.#hasPlain ? '' : (this.#last?.group ?? '');
    return `${this.#stems.get(group) ?? 'IMPL-'}${padded((this.#highestMain.get(group) ?? 0) + 1, this.#mainDigits)}`;
  }

  #nextSub(parent: TaskId): string {
    return `${parent}.${padded((this.#highestSub.get(mainOf(numberOf(parent))) ?? 0) + 1, this.#subDigits)}`;
  }

  #use(id: TaskId): void {
    const number = numberOf(id);
    const { group, main, sub } = number;
    if (!this.#stems.has(group)) this.#stems.set(group, stemOf(id));
    this.#highestMain.set(group, Math.max(this.#highestMain.get(group) ?? 0, main));
    this.#highestSub.set(mainOf(number), Math.max(this.#highestSub.get(mainOf(number)) ?? 0, sub));
    this.#mainDigits = Math.max(this.#mainDigits, zeroPadded(id.split('.')[0]?.replace(SUFFIX, '') ?? ''));
    this.#subDigits = Math.max(this.#subDigits, zeroPadded(id.split('.')[1]?.replace(SUFFIX, '') ?? ''));
    if (group === '') this.#hasPlain = true;
    if (this.#last === undefined || compareNumbers(number, this.#last) > 0) this.#last = number;
  }
}

function mainOf({ group, main }: TaskNumber): string {
  return `${group}${main}`;
}

/** The words after the number. */
const SUFFIX = /(?<=\d)-.*$/;

/** The number of digits at the end, if they start with a zero. */
function zeroPadded(text: string): number {
  return /(?<!\d)0\d*$/.exec(text)?.[0].length ?? 0;
}

function padded(number: number, digits: number): string {
  return String(number).padStart(digits, '0');
}
