/** The names of a loop's items, shown beside the numbers in their keys: `Review/3/Ask [src/a.ts]`. */
import { isJsonObject, type JsonValue, jsonText } from './json.ts';
import type { Noted } from './noted.ts';
import { visible } from './visible.ts';

/** An item may be a whole document. */
const LONGEST = 60;

/** A combination of values is easier to read as `os=linux node=20` than as JSON. */
export function itemText(item: JsonValue): string {
  if (!isJsonObject(item)) return jsonText(item);
  const entries = Object.entries(item);
  const isFlat = entries.length > 0 && entries.every(([, value]) => typeof value !== 'object');
  return isFlat ? entries.map(([name, value]) => `${name}=${value}`).join(' ') : jsonText(item);
}

/** One line, cut, with nothing in it that steers a terminal. */
export function itemName(item: JsonValue): string {
  const text = visible(itemText(item).slice(0, 4 * LONGEST))
    .replace(/\s+/g, ' ')
    .trim();
  const characters = [...text];
  return characters.length <= LONGEST ? text : `${characters.slice(0, LONGEST - 1).join('')}…`;
}

export class ItemNames {
  readonly #loops = new Map<string, readonly JsonValue[]>();

  apply(noted: Noted): void {
    if (noted.type === 'container' && noted.items !== undefined) this.#loops.set(noted.key, noted.items);
  }

  /** The name of the innermost item that the key belongs to. */
  of(key: string): string | undefined {
    let name: string | undefined;
    for (let at = key.indexOf('/'); at !== -1; at = key.indexOf('/', at + 1)) {
      const item = this.#loops.get(key.slice(0, at))?.[Number.parseInt(key.slice(at + 1), 10)];
      if (item !== undefined) name = itemName(item);
    }
    return name;
  }

  /** The key with the item's name. */
  named(key: string): string {
    const name = this.#loops.size === 0 ? undefined : this.of(key);
    return name === undefined || name === '' ? key : `${key} [${name}]`;
  }
}
