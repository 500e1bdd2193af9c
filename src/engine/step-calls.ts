/** The calls that a step consists of: its own, re-asks and fallback agents, which have side keys of the step's key. */
import { defined } from '../model/defined.ts';
import { ownerOf, type StepKey } from '../model/ids.ts';
import type { Spent, StepRecord, WorkOutput } from '../model/record.ts';
import type { Stepped } from './durable.ts';
import { recordOf } from './record-of.ts';

interface OneCall {
  readonly output: WorkOutput;
  readonly spentBefore?: readonly Spent[] | undefined;
}

export class StepCalls {
  readonly #calls = new Map<StepKey, Map<StepKey, Stepped<WorkOutput>>>();

  /** Whether the step consists of this call, and has cost nothing. */
  isOnly(key: StepKey, { output, spentBefore }: OneCall): boolean {
    if (output.spent !== undefined || spentBefore !== undefined) return false;
    return this.#calls.size === 0 || !this.#calls.has(ownerOf(key));
  }

  /** The record of the step after this call. A call that is made again replaces its earlier one, whose cost is in `spentBefore`. */
  add(key: StepKey, call: Stepped<WorkOutput>): StepRecord {
    // Most steps are one command: nothing has to be remembered for them.
    if (this.isOnly(key, call)) return recordOf(call);
    const owner = ownerOf(key);
    const all = this.#calls.get(owner) ?? new Map<StepKey, Stepped<WorkOutput>>();
    this.#calls.set(owner, all);
    all.delete(key);
    const record = recordOf(call, [...all.values()]);
    all.set(key, light(call));
    return record;
  }
}

/** Only what sums need; an answer may be large. */
function light({ output, ...call }: Stepped<WorkOutput>): Stepped<WorkOutput> {
  const { exitCode, outcome, spent } = output;
  return { ...call, output: { exitCode, outcome, ...defined({ spent }) } };
}
