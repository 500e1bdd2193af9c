import type { StepKey } from '../model/ids.ts';
import type { Note } from '../model/note.ts';
import type { StepRecord } from '../model/record.ts';
import { ResultCollector } from '../model/result-collector.ts';
import type { PartStatus, Results } from '../model/results.ts';

/** The parts of one container in a journal, and the record of the last step that ran in each: what its results are made of. */
export class PartsOfStep {
  readonly #note: Extract<Note, { type: 'container' }>;
  readonly #last = new Map<string, { readonly owner: StepKey; readonly record: Partial<StepRecord> }>();
  readonly #completed = new Set<string>();

  constructor(note: Extract<Note, { type: 'container' }>) {
    this.#note = note;
  }

  itemCompleted(index: number): void {
    this.#completed.add(String(index));
  }

  recorded(
    part: string,
    { owner, change }: { readonly owner: StepKey; readonly change: Partial<StepRecord> },
  ): void {
    if (change.status === 'skipped') return;
    const before = this.#last.get(part);
    const record = before?.owner === owner ? { ...before.record, ...change } : change;
    this.#last.set(part, { owner, record });
  }

  /** `own`: the record of the container. */
  results(own: StepRecord): Results {
    const { items, branches = [] } = this.#note;
    const collector = new ResultCollector();
    for (const part of items?.keys() ?? branches) {
      const name = String(part);
      const last = this.#last.get(name)?.record as StepRecord | undefined;
      const status = this.#statusOf(name, own);
      if (status === 'skipped') continue;
      const item = items?.[Number(part)];
      collector.add(part, { status, last, ...(items === undefined ? {} : { item: item ?? null }) });
    }
    return items === undefined ? collector.byName(branches) : collector.inOrder(items);
  }

  #statusOf(part: string, own: StepRecord): PartStatus {
    if (this.#completed.has(part)) return 'completed';
    const last = this.#last.get(part)?.record;
    if (last === undefined) return 'skipped';
    if (this.#note.items !== undefined) return 'failed';
    const { failure } = own;
    const isCause =
      failure?.type === 'branches-failed' && failure.causes.some(({ branch }) => branch === part);
    return isCause ? 'failed' : 'completed';
  }
}
