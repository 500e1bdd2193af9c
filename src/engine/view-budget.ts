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

type Captured = Pick<Partial<StepState>, 'output' | 'lines' | 'json'>;

export class ViewBudget {
  readonly #held = new Map<object, number>();
  #total = 0;

  /** Whether the captured output fits into the view of this step. Frees the share of an earlier visit. */
  admits(step: StepState, { output, lines, json }: Captured): boolean {
    if (output === undefined && lines === undefined && json === undefined) return true;
    this.release(step);
    return this.#admits(step, textSize(output) + linesSize(lines) + jsonSize(json));
  }

  admitItems(loop: object, items: readonly JsonValue[]): boolean {
    this.release(loop);
    return this.#admits(loop, jsonSize(items));
  }

  release(holder: object): void {
    if (this.#held.size === 0) return;
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
    if (size === 0) return true;
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
