/**
 * The rows of an index as a tree, and how a key leads to its row. A loop of a hundred thousand items is found by place, not by key: looking up
 * texts in a map of that size takes longer than reading their records.
 */
import type { StepKey } from '../model/ids.ts';
import type { JsonValue } from '../model/json.ts';
import { IndexRow, isContainer, type RowKind } from './index-row.ts';

/** So many rows of an item are compared one by one; those after them are in the map. */
const MOST_COMPARED = 16;

const SLASH = 47;
const ZERO = 48;
const NINE = 57;

export class RowTree {
  readonly rows: IndexRow[] = [];
  /** The rows that are in no other. */
  readonly roots: IndexRow[] = [];
  /** Without items at their place and the first rows of each. */
  readonly #byKey = new Map<string, IndexRow>();
  readonly #items = new Map<string, readonly JsonValue[]>();
  /** Mostly the next record is about the same. */
  #last: IndexRow | undefined;
  #loop: IndexRow | undefined;

  get(key: string): IndexRow | undefined {
    if (this.#last?.key === key) return this.#last;
    const known = this.#byKey.get(key);
    if (known !== undefined) return known;
    const holder = this.#holderOf(key, false);
    return holder?.key === key ? holder : this.#among(holder, key);
  }

  /** The row of this key, made if there is none. */
  at(key: string, kind: RowKind): IndexRow {
    const found = this.#last?.key === key ? this.#last : this.#foundOrMade(key, kind);
    if (found.kind === 'step') found.kind = kind;
    this.#last = found;
    return found;
  }

  /** The values that a loop is about. */
  setItems(loop: IndexRow, items: readonly JsonValue[]): void {
    this.#items.set(loop.key, items);
  }

  itemAt(loop: IndexRow, index: number): IndexRow | undefined {
    return index < loop.inOrder ? loop.children[index] : this.#byKey.get(`${loop.key}/${index}`);
  }

  /** The rows whose keys start with `prefix`, which ends with a slash. */
  within(prefix: string): readonly IndexRow[] {
    const found: IndexRow[] = [];
    const visit = (rows: readonly IndexRow[]): void => {
      for (const row of rows) {
        if (row.key.startsWith(prefix)) found.push(row);
        visit(row.children);
      }
    };
    visit(this.#holderOf(`${prefix}step`, false)?.children ?? this.roots);
    return found;
  }

  #foundOrMade(key: string, kind: RowKind): IndexRow {
    const parent = this.#holderOf(key, true);
    if (parent?.key === key) return parent;
    const found = this.#among(parent, key) ?? this.#byKey.get(key);
    if (found !== undefined) return found;
    const from = parent === undefined ? 0 : endOfHolder(parent, key);
    const row = new IndexRow(key as StepKey, { kind, parent, from, order: this.rows.length });
    if (parent?.kind !== 'item' || parent.children.length >= MOST_COMPARED) this.#byKey.set(key, row);
    return this.#add(row);
  }

  #add(row: IndexRow): IndexRow {
    this.rows.push(row);
    if (row.parent === undefined) row.place = this.roots.push(row) - 1;
    else row.parent.hold(row);
    return row;
  }

  #among(holder: IndexRow | undefined, key: string): IndexRow | undefined {
    if (holder?.kind !== 'item') return undefined;
    const { children } = holder;
    const count = Math.min(children.length, MOST_COMPARED);
    for (let place = 0; place < count; place += 1) if (children[place]?.key === key) return children[place];
    return undefined;
  }

  /** The innermost container, item or branch that the key is in; the item or branch itself if the key is its own. */
  #holderOf(key: string, isMade: boolean): IndexRow | undefined {
    if (this.#loop !== undefined && key.startsWith(this.#loop.key)) {
      const from = this.#loop.key.length + 1;
      const end = endOfDigits(key, from);
      const isInside = end > from && key.charCodeAt(from - 1) === SLASH && key.charCodeAt(end) === SLASH;
      if (isInside && key.indexOf('/', end + 1) === -1)
        return this.#item(this.#loop, { key, from, end }, isMade);
    }
    return this.#findHolder(key, isMade);
  }

  #findHolder(key: string, isMade: boolean): IndexRow | undefined {
    let holder: IndexRow | undefined;
    for (let from = 0, end = key.indexOf('/'); end !== -1; end = key.indexOf('/', from)) {
      const own = key.slice(0, end);
      const container: IndexRow | undefined = this.#among(holder, own) ?? this.#byKey.get(own);
      if (container === undefined || !isContainer(container.kind)) break;
      holder = container;
      from = end + 1;
      if (container.kind === 'call') continue;
      const slash = key.indexOf('/', from);
      const partEnd = slash === -1 ? key.length : slash;
      if (container.kind !== 'graph') {
        const part = this.#part(container, { key, from, end: partEnd }, isMade);
        if (part === undefined) break;
        holder = part;
      }
      if (slash === -1) break;
      from = partEnd + 1;
    }
    return holder;
  }

  #part(container: IndexRow, at: PartPlace, isMade: boolean): IndexRow | undefined {
    if (container.kind !== 'parallel' && endOfDigits(at.key, at.from) === at.end) {
      this.#loop = container;
      return this.#item(container, at, isMade);
    }
    const key = at.key.slice(0, at.end);
    const found = this.#byKey.get(key);
    if (found !== undefined || !isMade) return found;
    const kind = container.kind === 'parallel' ? 'branch' : 'item';
    const place = { kind, parent: container, from: at.from, order: this.rows.length } as const;
    const row = new IndexRow(key as StepKey, place);
    this.#byKey.set(key, row);
    return this.#add(row);
  }

  #item(loop: IndexRow, { key, from, end }: PartPlace, isMade: boolean): IndexRow | undefined {
    const index = numberIn(key, from, end);
    if (index < loop.inOrder) return loop.children[index];
    const own = key.slice(0, end) as StepKey;
    const isNext = index === loop.children.length && loop.inOrder === index;
    const found = isNext ? undefined : this.#byKey.get(own);
    if (found !== undefined || !isMade) return found;
    const item = this.#items.get(loop.key)?.[index];
    const row = new IndexRow(own, { kind: 'item', parent: loop, from, order: this.rows.length, item });
    if (isNext) loop.inOrder += 1;
    else this.#byKey.set(own, row);
    return this.#add(row);
  }
}

/** The name of a part of a container: `key[from, end)`. */
interface PartPlace {
  readonly key: string;
  readonly from: number;
  readonly end: number;
}

function endOfDigits(key: string, from: number): number {
  let end = from;
  while (end < key.length && key.charCodeAt(end) >= ZERO && key.charCodeAt(end) <= NINE) end += 1;
  return end;
}

function numberIn(key: string, from: number, end: number): number {
  let value = 0;
  for (let at = from; at < end; at += 1) value = value * 10 + key.charCodeAt(at) - ZERO;
  return value;
}

/** Where the step's own name starts in its key. */
function endOfHolder(holder: IndexRow, key: string): number {
  // The branches of a graph have the names of their steps: `Graph/Build/Build`.
  return holder.kind === 'graph' ? key.lastIndexOf('/') + 1 : holder.key.length + 1;
}
