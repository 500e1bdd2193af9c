/**
 * The rows of a run that the page has. Lists are loaded in pages when they are seen: a run may have a hundred thousand rows. Rows that
 * arrive live replace their own kind; applying one twice is harmless.
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

export class RowStore {
  readonly #at: string;
  readonly #onChange: () => void;
  readonly #lists = new Map<string, Rows>();
  readonly #byKey = new Map<string, StepRow>();
  readonly #open = new Set<string>();
  #isWhole = false;

  constructor(at: string, onChange: () => void) {
    this.#at = at;
    this.#onChange = onChange;
  }

  row(key: string): StepRow | undefined {
    return this.#byKey.get(key);
  }

  isOpen(key: string): boolean {
    return this.#open.has(key);
  }

  /** Loads a run, or loads it again. */
  async load(rows: number): Promise<void> {
    if (rows > WHOLE) {
      await this.#page('', 0);
      return;
    }
    const found = await getJson<StepsFound>(`${this.#at}/steps?limit=1000`);
    const isFirst = !this.#isWhole;
    this.#isWhole = true;
    this.#lists.clear();
    this.#list('');
    for (const row of found.rows) {
      this.#put(row);
      if (isFirst && row.children > 0) this.#open.add(row.key);
    }
    this.#onChange();
  }

  apply(rows: readonly StepRow[]): void {
    for (const row of rows) {
      const isNew = !this.#byKey.has(row.key);
      this.#put(row);
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
      const total = Math.max(list?.total ?? 0, this.#byKey.get(parent)?.children ?? 0);
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
    const list = this.#list(parent);
    if (list.asked.has(page)) return;
    list.asked.add(page);
    const query = new URLSearchParams({ parent, from: String(page * PAGE), limit: String(PAGE) });
    const found = await getJson<StepsFound>(`${this.#at}/steps?${query}`);
    list.total = Math.max(list.total, found.total);
    for (const row of found.rows) this.#put(row);
    this.#onChange();
  }

  #put(row: StepRow): void {
    this.#byKey.set(row.key, row);
    const parent = row.parent ?? '';
    const list = this.#lists.get(parent) ?? (this.#isWhole ? this.#list(parent) : undefined);
    if (list === undefined) return;
    list.rows[row.place] = row;
    list.total = Math.max(list.total, row.place + 1);
  }

  #list(parent: string): Rows {
    const found = this.#lists.get(parent) ?? { total: 0, rows: [], asked: new Set() };
    this.#lists.set(parent, found);
    return found;
  }
}
