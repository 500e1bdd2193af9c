/**
 * How our processes are recognised, whatever their current parent.
 *
 * M1  Its environment contains a list of marks: those of the enclosing runs, of its run, of the step's process it descends from. A program
 *     can start another without them (`env -i`).
 * M2  On Linux it also has a stamp, a number in its soft limit of file locks. The kernel has not enforced that limit since 2.4; every child
 *     inherits it, and neither a new environment, nor a new session, nor the death of a parent changes it.
 * M3  Marks after ours in such a list belong to runs inside ours, and their processes are ours too.
 */
import { crc32 } from '../model/crc32.ts';
import { environmentValue, stampOf } from './process-table.ts';

/** A list of marks, separated by commas. */
export const MARK_VARIABLE = 'ORCHESTRATE_MARK';

/** A stamp is 32 bits of the run's mark, followed by these. */
const PROCESS_BITS = 30;
const IS_STAMP = /^\d+$/;

/** The mark of one process that is about to start with this environment; it is also its stamp. */
export function processMark(environment: { readonly [name: string]: string }): string {
  const run = environment[MARK_VARIABLE]?.split(',').at(-1);
  const part = run === undefined ? random(32) : crc32(run);
  return String((BigInt(part) << BigInt(PROCESS_BITS)) | BigInt(random(PROCESS_BITS)));
}

function random(bits: number): number {
  return 1 + Math.floor(Math.random() * (2 ** bits - 1));
}

/** Recognises processes that carry one of several marks. */
export class Marks {
  readonly #marks = new Set<string>();
  readonly #runs = new Set<number>();

  constructor(marks: Iterable<string>) {
    for (const mark of marks) this.#add(mark);
  }

  /** Grows as marks inside these are found (M3). */
  get size(): number {
    return this.#marks.size;
  }

  isOn(pid: number): boolean {
    const stamp = stampOf(pid);
    if (stamp !== undefined && (this.#marks.has(stamp) || this.#runs.has(runPart(stamp)))) return true;
    const carried = environmentValue(pid, MARK_VARIABLE)?.split(',') ?? [];
    const at = carried.findIndex((mark) => this.#marks.has(mark));
    if (at === -1) return false;
    for (const inner of carried.slice(at + 1)) this.#add(inner);
    return true;
  }

  #add(mark: string): void {
    this.#marks.add(mark);
    if (!IS_STAMP.test(mark)) this.#runs.add(crc32(mark));
  }
}

function runPart(stamp: string): number {
  return Number(BigInt(stamp) >> BigInt(PROCESS_BITS));
}
