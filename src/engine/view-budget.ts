/**
 * Limits how much captured output the view of a run contains. A single capture is bounded where it is made; a loop can make thousands
 * of them, and `state.json` must stay small enough to write and read. The journal has everything that is left out.
 */
import type { JsonValue } from '../model/json.ts';
import { jsonSize } from '../model/json-size.ts';
import type { StepState } from '../model/run-state.ts';

/** Characters. Escaping makes them at most six times as many, well below the maximum string length. */
const MOST = 32 * 1024 * 1024;
/** The overhead of a line. */
const PER_LINE = 32;

const CAPTURED = ['output', 'lines', 'json'] as const;

export class ViewBudget {
  readonly #held = new WeakMap<object, number>();
  #total = 0;

  /** The fields that fit into the view of this step. Frees the share of an earlier visit. */
  admit(step: StepState, fields: Partial<StepState>): Partial<StepState> {
    if (!CAPTURED.some((name) => fields[name] !== undefined)) return fields;
    this.release(step);
    const size = textSize(fields.output) + linesSize(fields.lines) + jsonSize(fields.json);
    if (this.#admits(step, size)) return fields;
    const { output, lines, json, ...rest } = fields;
    const leftOut = CAPTURED.filter((name) => fields[name] !== undefined);
    return { ...rest, left_out: leftOut };
  }

  admitItems(loop: object, items: readonly JsonValue[]): boolean {
    this.release(loop);
    return this.#admits(loop, jsonSize(items));
  }

  release(holder: object): void {
    this.#total -= this.#held.get(holder) ?? 0;
    this.#held.delete(holder);
  }

  /** Frees the share of everything inside, which is no longer shown. */
  releaseWithin(value: unknown): void {
    if (typeof value !== 'object' || value === null) return;
    this.release(value);
    for (const each of Object.values(value)) this.releaseWithin(each);
  }

  #admits(holder: object, size: number): boolean {
    if (this.#total + size > MOST) return false;
    this.#total += size;
    this.#held.set(holder, size);
    return true;
  }
}

function textSize(text: string | undefined): number {
  return text?.length ?? 0;
}

function linesSize(lines: readonly string[] | undefined): number {
  return lines?.reduce((sum, line) => sum + line.length + PER_LINE, 0) ?? 0;
}
