/**
 * The cells of a terminal, for programs that draw freely: an agent's CLI moves the cursor and writes only the cells that
 * change, so that its output alone does not show what is visible. Everything but text and position — colours, modes, titles —
 * is ignored. For our own output see `Screen`, which rejects what it does not expect.
 */
import { widthOf } from '../../src/report/text/width.ts';

const SEQUENCE =
  /^\u001b(?:\[[?>=<]?([\d;]*)[ -/]*([@-~])|\][^\u0007\u001b]*(?:\u0007|\u001b\\)|P[^\u001b]*\u001b\\|[()][A-Za-z0-9]|[=>78DEHMc])/;

export class TerminalGrid {
  readonly #columns: number;
  readonly #rows: number;
  #cells: string[][] = [[]];
  /** The first row of the screen: rows that have scrolled away stay above it. */
  #top = 0;
  #row = 0;
  #column = 0;
  #unread = '';

  constructor(columns: number, rows: number) {
    this.#columns = columns;
    this.#rows = rows;
  }

  /** All readable text, including what has scrolled away. */
  get text(): string {
    return this.#cells
      .map((row) =>
        Array.from(row, (cell) => cell ?? ' ')
          .join('')
          .trimEnd(),
      )
      .join('\n');
  }

  write(chunk: string): void {
    const text = this.#unread + chunk;
    this.#unread = '';
    let at = 0;
    while (at < text.length) {
      if (text[at] === '\u001b') {
        const sequence = SEQUENCE.exec(text.slice(at));
        if (sequence === null) {
          // The rest arrives with the next piece.
          this.#unread = text.slice(at);
          return;
        }
        this.#control(sequence[2] ?? '', (sequence[1] ?? '').split(';').map(Number));
        at += sequence[0].length;
        continue;
      }
      const char = String.fromCodePoint(text.codePointAt(at) ?? 0);
      at += char.length;
      if (char === '\n') this.#down();
      else if (char === '\r') this.#column = 0;
      else if (char === '\b') this.#column = Math.max(0, this.#column - 1);
      else if (char >= ' ') this.#put(char);
    }
  }

  #put(char: string): void {
    const width = widthOf(char);
    if (width === 0) return;
    if (this.#column + width > this.#columns) {
      this.#column = 0;
      this.#down();
    }
    const row = this.#rowAt(this.#row);
    row[this.#column] = char;
    if (width === 2) row[this.#column + 1] = '';
    this.#column += width;
  }

  #down(): void {
    this.#row += 1;
    this.#top = Math.max(this.#top, this.#row - this.#rows + 1);
    this.#rowAt(this.#row);
  }

  #rowAt(index: number): string[] {
    while (this.#cells.length <= index) this.#cells.push([]);
    return this.#cells[index] as string[];
  }

  #control(final: string, [first = 0, second = 0]: readonly number[]): void {
    const count = Math.max(1, first);
    const bottom = this.#top + this.#rows - 1;
    if (final === 'A') this.#row = Math.max(this.#top, this.#row - count);
    else if (final === 'B') this.#row = Math.min(bottom, this.#row + count);
    else if (final === 'C') this.#column = Math.min(this.#columns - 1, this.#column + count);
    else if (final === 'D') this.#column = Math.max(0, this.#column - count);
    else if (final === 'G') this.#column = count - 1;
    else if (final === 'H' || final === 'f') {
      this.#row = Math.min(bottom, this.#top + count - 1);
      this.#column = Math.max(1, second) - 1;
    } else if (final === 'K') this.#erase(this.#rowAt(this.#row), first);
    else if (final === 'J') {
      this.#erase(this.#rowAt(this.#row), first);
      const others = first === 0 ? this.#cells.slice(this.#row + 1) : this.#cells.slice(this.#top);
      for (const row of others) row.length = 0;
    }
  }

  /** 0: from the cursor on; 1: up to it; 2: the whole row. */
  #erase(row: string[], how: number): void {
    if (how === 0) row.length = Math.min(row.length, this.#column);
    else if (how === 1) row.fill(' ', 0, this.#column + 1);
    else row.length = 0;
  }
}
