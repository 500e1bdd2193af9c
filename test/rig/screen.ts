/**
 * A very small terminal: turns the output of a program into the rows that a user would see. Supports what the live panel uses —
 * cursor up, carriage return, erase to the end of line and screen, delete rows, colours, the cursor's visibility, wrapping — and
 * rejects the rest, so that an unintended sequence fails the test.
 */
import { widthOf } from '../../src/report/text/width.ts';

interface Row {
  readonly cells: string[];
  /** The next row continues the same line. Overwriting a row does not change that. */
  isContinued: boolean;
}

export class Screen {
  columns: number;
  cursorVisible = true;
  #rows: Row[] = [blank()];
  #row = 0;
  #column = 0;

  constructor(columns: number) {
    this.columns = columns;
  }

  write(text: string): void {
    let at = 0;
    while (at < text.length) {
      if (text[at] === '\u001b') {
        const sequence = /^\u001b\[(\??)(\d*)([A-Za-z])/.exec(text.slice(at));
        if (sequence === null) throw new Error(`unknown sequence ${JSON.stringify(text.slice(at, at + 8))}`);
        this.#control(sequence[1] === '?', Number(sequence[2] || '1'), sequence[3] ?? '');
        at += sequence[0].length;
        continue;
      }
      const char = String.fromCodePoint(text.codePointAt(at) ?? 0);
      at += char.length;
      if (char === '\n') {
        this.#row += 1;
        this.#column = 0;
        while (this.#rows.length <= this.#row) this.#rows.push(blank());
      } else if (char === '\r') this.#column = 0;
      else if (char < ' ' || char === '\u007f') throw new Error(`control character ${JSON.stringify(char)}`);
      else this.#put(char);
    }
  }

  /** Narrows or widens as most terminals do: lines are wrapped again. */
  resize(columns: number): void {
    this.columns = columns;
    const rows: Row[] = [];
    let line: string[] = [];
    let cursorRow: number | undefined;
    for (const [index, { cells, isContinued }] of this.#rows.entries()) {
      if (index === this.#row) cursorRow = rows.length + Math.floor(line.length / columns);
      line.push(...cells);
      if (isContinued) continue;
      do {
        const part = line.splice(0, columns);
        rows.push({ cells: part, isContinued: line.length > 0 });
      } while (line.length > 0);
      line = [];
    }
    this.#row = cursorRow ?? this.#row;
    this.#rows = rows;
  }

  /** The rows that are not blank, without trailing spaces. */
  get text(): string {
    const rows = this.#rows.map((row) => row.cells.join('').trimEnd());
    while (rows.at(-1) === '') rows.pop();
    return rows.join('\n');
  }

  #put(char: string): void {
    const width = widthOf(char);
    if (width === 0) return;
    if (this.#column + width > this.columns) {
      const full = this.#rows[this.#row];
      if (full !== undefined) full.isContinued = true;
      this.#row += 1;
      this.#column = 0;
      while (this.#rows.length <= this.#row) this.#rows.push(blank());
    }
    const row = this.#rows[this.#row]?.cells ?? [];
    while (row.length < this.#column) row.push(' ');
    row[this.#column] = char;
    if (width === 2) row[this.#column + 1] = '';
    this.#column += width;
  }

  #control(isPrivate: boolean, count: number, final: string): void {
    if (isPrivate && count === 25) this.cursorVisible = final === 'h';
    else if (final === 'A') this.#row = Math.max(0, this.#row - count);
    else if (final === 'K') this.#rows[this.#row]?.cells.splice(this.#column);
    else if (final === 'M') this.#rows.splice(this.#row, count);
    else if (final === 'J') {
      this.#rows[this.#row]?.cells.splice(this.#column);
      this.#rows.splice(this.#row + 1);
    } else if (final !== 'm') throw new Error(`unknown sequence with ${final}`);
  }
}

function blank(): Row {
  return { cells: [], isContinued: false };
}
