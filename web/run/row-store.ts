/**
 * The rows of a run that the page has. Lists are loaded in pages when they are seen: a run may have a hundred thousand rows. Rows that
 * arrive live replace their own kind; applying one twice is harmless.
 *
 * V1 A row is never replaced by an older one: each has the record that it is from, and of two from the same record the one that was asked for
 *    later, or announced, counts. So the order in which answers and messages arrive does not matter.
 * V2 Answers that were asked for before a reset, or that belong to another journal than the last ones, are dropped.
 * V3 A run that is loaded whole is shown unfolded, also what has been added when it is loaded again. What the user has folded stays folded.
 */
import type { StepRow, StepsFound } from '../../src/operations/live/step-row.ts';
import { getJson } from '../api.ts';

const PAGE = 200;
/** Runs with fewer rows are loaded and unfolded whole. */
const WHOLE = 300;

export interface ListEntry {
  readonly row: StepRow | undefined;
  readonly depth: number;
  readonly parent: string;
  readonly place: number;
}

interface Rows {
  total: number;
  readonly rows: (StepRow | undefined)[];
  readonly asked: Set<number>;
}

/** When a row is from. */
interface Version {
  readonly seq: number;
  /** When it was asked for or announced, on the clock of the store. */
  readonly at: number;
}

interface Answer extends StepsFound {
  readonly generation: number;
}

export class RowStore {
  readonly #at: string;
  readonly #onChange: () => void;
  readonly #lists = new Map<string, Rows>();
  readonly #byKey = new Map<string, { readonly row: StepRow; readonly version: Version }>();
  readonly #open = new Set<string>();
  #isWhole = false;
  /** Counts requests and messages. */
  #clock = 0;
  /** Answers asked for before are dropped (V2). */
  #since = 0;
  #generation: number | undefined;

  constructor(at: string, onChange: () => void) {
    this.#at = at;
    this.#onChange = onChange;
  }

  row(key: string): StepRow | undefined {
    return this.#byKey.get(key)?.row;
  }

  /** A row that it does not have may exist: only a part of the run is loaded. */
  get isPartial(): boolean {
    return this.#lists.size > 0 && !this.#isWhole;
  }

  isOpen(key: string): boolean {
    return this.#open.has(key);
  }

  /** Loads a run, or loads it again. */
  async load(rows: number): Promise<void> {
    this.#since = this.#tick();
    // Whatever comes now is newer.
    for (const [key, { row }] of this.#byKey) this.#byKey.set(key, { row, version: { seq: -1, at: 0 } });
    if (rows <= WHOLE && (await this.#loadWhole())) return;
    this.#isWhole = false;
    for (const list of this.#lists.values()) list.asked.clear();
    await this.#page('', 0);
    // The rest is loaded again where it is seen.
    for (const [parent, list] of this.#lists) list.rows.fill(undefined, parent === '' ? PAGE : 0);
    this.#onChange();
  }

  /** False if it has grown too large for that. */
  async #loadWhole(): Promise<boolean> {
    const at = this.#tick();
    const found = await getJson<Answer>(`${this.#at}/steps?limit=1000`);
    if (found.total > found.rows.length) return false;
    if (!this.#isOf(found.generation, at)) return true;
    const isFirst = !this.#isWhole;
    this.#isWhole = true;
    const newer = [...this.#byKey.values()].filter(({ version }) => version.at > at);
    // V3: what could be folded.
    const seen = new Set(
      [...this.#byKey.values()].filter(({ row }) => row.children > 0).map(({ row }) => row.key),
    );
    const unfold = ({ key, children }: StepRow): void => {
      if (children > 0 && (isFirst || !seen.has(key))) this.#open.add(key);
    };
    this.#lists.clear();
    this.#byKey.clear();
    this.#list('');
    for (const row of found.rows) {
      this.#put(row, { seq: found.seq, at });
      unfold(row);
    }
    for (const { row, version } of newer) {
      this.#put(row, version);
      unfold(row);
    }
    this.#onChange();
    return true;
  }

  /** Rows of a message. */
  apply(
    rows: readonly StepRow[],
    { seq, generation }: { readonly seq: number; readonly generation: number },
  ): void {
    const at = this.#tick();
    if (!this.#isOf(generation, at)) return;
    for (const row of rows) {
      const isNew = !this.#byKey.has(row.key);
      this.#put(row, { seq, at });
      if (this.#isWhole && isNew && row.children > 0) this.#open.add(row.key);
      if (this.#isWhole && row.parent !== null && this.#byKey.has(row.parent)) this.#open.add(row.parent);
    }
    this.#onChange();
  }

  toggle(key: string, isOpen = !this.#open.has(key)): void {
    if (isOpen) this.#open.add(key);
    else this.#open.delete(key);
    this.#onChange();
  }

  /** What is unfolded, top to bottom. */
  entries(): readonly ListEntry[] {
    const all: ListEntry[] = [];
    const add = (parent: string, depth: number): void => {
      const list = this.#lists.get(parent);
      const total = Math.max(list?.total ?? 0, this.#byKey.get(parent)?.row.children ?? 0);
      for (let place = 0; place < total; place += 1) {
        const row = list?.rows[place];
        all.push({ row, depth, parent, place });
        if (row !== undefined && row.children > 0 && this.#open.has(row.key)) add(row.key, depth + 1);
      }
    };
    add('', 0);
    return all;
  }

  /** These are seen: what is missing is loaded. */
  need(entries: readonly ListEntry[]): void {
    for (const { row, parent, place } of entries)
      if (row === undefined) void this.#page(parent, Math.floor(place / PAGE)).catch(() => {});
  }

  async #page(parent: string, page: number): Promise<void> {
    const { asked } = this.#list(parent);
    if (asked.has(page)) return;
    asked.add(page);
    const at = this.#tick();
    const query = new URLSearchParams({ parent, from: String(page * PAGE), limit: String(PAGE) });
    let found: Answer;
    try {
      found = await getJson<Answer>(`${this.#at}/steps?${query}`);
    } catch (cause) {
      asked.delete(page);
      throw cause;
    }
    if (!this.#isOf(found.generation, at)) return;
    const list = this.#list(parent);
    list.total = Math.max(list.total, found.total);
    for (const row of found.rows) this.#put(row, { seq: found.seq, at });
    this.#onChange();
  }

  #tick(): number {
    this.#clock += 1;
    return this.#clock;
  }

  /** V2: rows of another journal replace everything if they are the later ones. */
  #isOf(generation: number, at: number): boolean {
    if (at < this.#since) return false;
    if (this.#generation !== undefined && generation !== this.#generation) {
      this.#lists.clear();
      this.#byKey.clear();
      this.#since = at;
    }
    this.#generation = generation;
    return true;
  }

  #put(row: StepRow, version: Version): void {
    const known = this.#byKey.get(row.key);
    const isOlder =
      known !== undefined &&
      (version.seq < known.version.seq ||
        (version.seq === known.version.seq && version.at < known.version.at));
    const kept = isOlder ? known.row : row;
    if (!isOlder) this.#byKey.set(row.key, { row, version });
    const parent = kept.parent ?? '';
    const list = this.#lists.get(parent) ?? (this.#isWhole ? this.#list(parent) : undefined);
    if (list === undefined) return;
    list.rows[kept.place] = kept;
    list.total = Math.max(list.total, kept.place + 1);
  }

  #list(parent: string): Rows {
    const found = this.#lists.get(parent) ?? { total: 0, rows: [], asked: new Set() };
    this.#lists.set(parent, found);
    return found;
  }
}
