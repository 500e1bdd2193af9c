/**
 * A map of step keys for runs with hundreds of thousands of them. The steps of loop items (`Loop/3/Fix`) are found by the number of their item and
 * their name: looking up a text that was just built, in a map of that size, takes several times as long, and the texts need not be kept.
 */
import type { StepKey } from './ids.ts';

/** More names of one item are in the plain map, and so is an item with a greater number. */
const MOST_NAMES = 16;
const MOST_DIGITS = 7;

const SLASH = 47;
const ZERO = 48;
const NINE = 57;

/** The names and values of one item, alternately. */
type Cell<Value> = (string | Value)[];

export class StepMap<Value> implements Iterable<[StepKey, Value]> {
  readonly #plain = new Map<string, Value>();
  readonly #loops = new Map<string, (Cell<Value> | undefined)[]>();
  /** Mostly the next key is of the same loop. */
  #last: { readonly loop: string; readonly items: (Cell<Value> | undefined)[] } | undefined;
  /** One text for every name, not one for every item. */
  readonly #names = new Map<string, string>();

  get(key: StepKey): Value | undefined {
    const name = startOfName(key);
    const cell = name === -1 ? undefined : this.#cellOf(key, name);
    const at = cell === undefined ? -1 : placeIn(cell, key, name);
    return at === -1 ? this.#plain.get(key) : (cell?.[at] as Value);
  }

  has(key: StepKey): boolean {
    return this.get(key) !== undefined;
  }

  set(key: StepKey, value: Value): void {
    this.exchange(key, value);
  }

  /** Sets it, and returns the value before. */
  exchange(key: StepKey, value: Value): Value | undefined {
    const name = startOfName(key);
    if (name === -1) return this.#exchangePlain(key, value);
    const cell = this.#cellOf(key, name);
    if (cell === undefined) {
      this.#itemsOf(key, name)[itemIn(key, name)] = [this.#nameIn(key, name), value];
      return undefined;
    }
    const at = placeIn(cell, key, name);
    if (at !== -1) {
      const before = cell[at] as Value;
      cell[at] = value;
      return before;
    }
    if (cell.length >= 2 * MOST_NAMES || this.#plain.has(key)) return this.#exchangePlain(key, value);
    // A copy has no room to spare; a list that grows reserves that of sixteen more.
    this.#itemsOf(key, name)[itemIn(key, name)] = [...cell, this.#nameIn(key, name), value];
    return undefined;
  }

  delete(key: StepKey): void {
    const name = startOfName(key);
    const cell = name === -1 ? undefined : this.#cellOf(key, name);
    const at = cell === undefined ? -1 : placeIn(cell, key, name);
    if (at === -1) this.#plain.delete(key);
    else cell?.splice(at - 1, 2);
  }

  /** What is deleted meanwhile may be left out. */
  *[Symbol.iterator](): Iterator<[StepKey, Value]> {
    yield* this.#plain as Map<StepKey, Value>;
    for (const [loop, items] of this.#loops) {
      for (const item of Object.keys(items)) {
        const all = [...(items[Number(item)] ?? [])];
        for (let at = 0; at < all.length; at += 2) {
          yield [`${loop}/${item}/${all[at] as string}` as StepKey, all[at + 1] as Value];
        }
      }
    }
  }

  #exchangePlain(key: StepKey, value: Value): Value | undefined {
    const before = this.#plain.get(key);
    this.#plain.set(key, value);
    return before;
  }

  #cellOf(key: string, name: number): Cell<Value> | undefined {
    return this.#itemsOf(key, name)[itemIn(key, name)];
  }

  #itemsOf(key: string, name: number): (Cell<Value> | undefined)[] {
    const end = startOfItem(key, name) - 1;
    const last = this.#last;
    if (last !== undefined && last.loop.length === end && key.startsWith(last.loop)) return last.items;
    const loop = key.slice(0, end);
    const items = this.#loops.get(loop) ?? [];
    this.#loops.set(loop, items);
    this.#last = { loop, items };
    return items;
  }

  #nameIn(key: string, start: number): string {
    const name = key.slice(start);
    const known = this.#names.get(name);
    if (known !== undefined) return known;
    this.#names.set(name, name);
    return name;
  }
}

/** Where the name starts in `Loop/3/Fix`; -1 if it is not of this form. */
function startOfName(key: string): number {
  let slash = key.length - 1;
  while (slash > 0 && key.charCodeAt(slash) !== SLASH) slash -= 1;
  if (slash <= 0) return -1;
  const item = startOfItem(key, slash + 1);
  const digits = slash - item;
  const isPlain = digits === 0 || digits > MOST_DIGITS || (digits > 1 && key.charCodeAt(item) === ZERO);
  return isPlain || item < 2 || key.charCodeAt(item - 1) !== SLASH ? -1 : slash + 1;
}

function startOfItem(key: string, name: number): number {
  let start = name - 1;
  while (start > 0 && isDigit(key.charCodeAt(start - 1))) start -= 1;
  return start;
}

function itemIn(key: string, name: number): number {
  let value = 0;
  for (let at = startOfItem(key, name); at < name - 1; at += 1)
    value = value * 10 + key.charCodeAt(at) - ZERO;
  return value;
}

function isDigit(code: number): boolean {
  return code >= ZERO && code <= NINE;
}

/** The place of its value in the cell; -1 if it is not there. */
function placeIn<Value>(cell: Cell<Value>, key: string, start: number): number {
  const length = key.length - start;
  for (let at = 0; at < cell.length; at += 2) {
    const name = cell[at] as string;
    if (name.length === length && key.startsWith(name, start)) return at + 1;
  }
  return -1;
}
