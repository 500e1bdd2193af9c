import { defined } from './defined.ts';
import type { JsonValue } from './json.ts';
import { jsonSize } from './json-size.ts';
import { withoutFinalNewlines } from './output-text.ts';
import type { StepRecord } from './record.ts';
import { MOST_RESULTS, type PartResult, type PartStatus, type Results } from './results.ts';

/** Collects the results of a step's parts in any order, and keeps a bounded amount of them. */
export class ResultCollector {
  readonly #parts = new Map<string | number, PartResult>();
  #size = 0;

  add(
    at: string | number,
    part: {
      readonly status: PartStatus;
      readonly item?: JsonValue;
      readonly last?: StepRecord | undefined;
    },
  ): void {
    const { output, lines, json, truncated } = part.last ?? {};
    const result: PartResult = {
      ...defined({ item: part.item }),
      status: part.status,
      ...(output === undefined ? {} : { output: withoutFinalNewlines(output) }),
      ...defined({ lines }),
      ...defined({ json }),
      ...(truncated === true ? { truncated } : {}),
    };
    this.#size += jsonSize(result as unknown as JsonValue);
    if (this.#size > MOST_RESULTS) this.#parts.clear();
    else this.#parts.set(at, result);
  }

  /** Those of a loop. An item without a result was not started. */
  inOrder(items: readonly JsonValue[]): Results {
    if (this.#size > MOST_RESULTS) return { type: 'too-large' };
    const parts = items.map((item, index) => this.#parts.get(index) ?? { item, status: 'skipped' as const });
    return { type: 'items', parts };
  }

  byName(names: readonly string[]): Results {
    if (this.#size > MOST_RESULTS) return { type: 'too-large' };
    const parts: { [name: string]: PartResult } = Object.create(null);
    for (const name of names) parts[name] = this.#parts.get(name) ?? { status: 'skipped' };
    return { type: 'named', parts };
  }
}
