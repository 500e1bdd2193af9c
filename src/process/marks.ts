/**
 * How a process is known as one of ours, whoever its parent is by now.
 *
 * M1  Its environment holds a list of marks: those of the runs around it, of its run, of the step's process it comes from. A program can start
 *     another without them (`env -i`).
 * M2  On Linux it has a stamp as well, a number in its soft limit of file locks. The kernel has not enforced that limit since 2.4; it hands it on
 *     to every child, and neither a new environment, nor a new session, nor the death of a parent changes it.
 * M3  Marks that stand behind ours in such a list are those of runs inside ours, and their processes are ours too.
 */
import { crc32 } from '../model/crc32.ts';
import { environmentValue, stampOf } from './process-table.ts';

/** A list of marks, separated by commas. */
export const MARK_VARIABLE = 'ORCHESTRATE_MARK';

/** A stamp is 32 bits of the run's mark, then these. */
const PROCESS_BITS = 30;
const IS_STAMP = /^\d+$/;

/** The mark of one process to be started with this environment; it is its stamp at the same time. */
export function processMark(environment: { readonly [name: string]: string }): string {
  const run = environment[MARK_VARIABLE]?.split(',').at(-1);
  const part = run === undefined ? random(32) : crc32(run);
  return String((BigInt(part) << BigInt(PROCESS_BITS)) | BigInt(random(PROCESS_BITS)));
}

function random(bits: number): number {
  return 1 + Math.floor(Math.random() * (2 ** bits - 1));
}

/** Tells the processes that carry one of some marks. */
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
