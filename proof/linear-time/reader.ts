import fs from 'node:fs';
import path from 'node:path';

/** A parser of text from agents, files or users. */
export interface Reader {
  readonly name: string;
  /** Length of the longest text, in characters; shorter if a library is slow per character. */
  readonly most?: number;
  /** Throws only if it breaks. `folder` is empty and used only by this point. */
  read(text: string, folder: string): unknown;
}

export function reader(name: string, read: Reader['read'], most?: number): Reader {
  return { name, read, ...(most === undefined ? {} : { most }) };
}

export function written(folder: string, name: string, text: string): string {
  const file = path.join(folder, name);
  fs.writeFileSync(file, text);
  return file;
}

/** A list that grows with the text: its length divided by `by`. */
export function many<Item>(text: string, by: number, item: (part: string, index: number) => Item): Item[] {
  return Array.from({ length: Math.floor(text.length / by) }, (_, index) =>
    item(text.slice(index, index + 20), index),
  );
}
