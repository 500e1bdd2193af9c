import fs from 'node:fs';
import path from 'node:path';

/** What reads a text of agents, files or other people. */
export interface Reader {
  readonly name: string;
  /** Of the longest text, in characters: fewer where a library takes its time for each of them. */
  readonly most?: number;
  /** Throws only where it breaks. `folder` is empty, and of the point alone. */
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

/** So many as the text is long, divided by `by`: a list that grows with the text. */
export function many<Item>(text: string, by: number, item: (part: string, index: number) => Item): Item[] {
  return Array.from({ length: Math.floor(text.length / by) }, (_, index) =>
    item(text.slice(index, index + 20), index),
  );
}
