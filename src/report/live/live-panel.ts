/**
 * The bottom of a terminal: what is said scrolls by above, the lines of the panel are written over in place.
 *
 * T1 A frame is one write; one that would change nothing is none.
 * T2 After the terminal became narrower, what stands there has been wrapped: its rows are counted anew before they are written over. After
 *    any change of its width they are taken out first: the terminal may still hold two of them for parts of one line.
 * T3 The cursor is hidden while the panel stands, and comes back when it is closed or left or the process exits.
 */
import { widthOf } from '../text/width.ts';

const HIDE_CURSOR = '\u001b[?25l';
const SHOW_CURSOR = '\u001b[?25h';
const TO_LINE_END = '\u001b[K';
const TO_SCREEN_END = '\u001b[J';
const SGR = /\u001b\[\d+m/g;

export interface LivePanelOptions {
  columns(): number;
  write(text: string): void;
  /** The panel as it should stand now. No line of it is as wide as the terminal, which would wrap it. */
  render(): readonly string[];
}

export class LivePanel {
  readonly #options: LivePanelOptions;
  readonly #restore = (): void => this.#options.write(SHOW_CURSOR);
  #waiting: string[] = [];
  #standing: readonly string[] = [];
  #columns: number;
  #closed = false;
  #away = false;

  constructor(options: LivePanelOptions) {
    this.#options = options;
    this.#columns = options.columns();
    options.write(HIDE_CURSOR);
    process.once('exit', this.#restore);
  }

  /** Shown with the next frame, above the panel. */
  say(lines: readonly string[]): void {
    if (this.#closed) this.#options.write(lines.map((line) => `${line}\n`).join(''));
    else for (const line of lines) this.#waiting.push(line);
  }

  frame(): void {
    if (!this.#closed && !this.#away) this.#draw(this.#options.render());
  }

  /** The terminal is somebody else's until `comeBack`: what is said meanwhile waits. */
  leave(): void {
    if (this.#closed || this.#away) return;
    this.#draw([]);
    this.#away = true;
    this.#options.write(SHOW_CURSOR);
  }

  comeBack(): void {
    if (this.#closed || !this.#away) return;
    this.#away = false;
    this.#options.write(HIDE_CURSOR);
  }

  /** What was said stays, the panel goes. */
  close(): void {
    if (this.#closed) return;
    this.#draw([]);
    this.#closed = true;
    process.removeListener('exit', this.#restore);
    this.#options.write(SHOW_CURSOR);
  }

  /** T1, T2 */
  #draw(panel: readonly string[]): void {
    const columns = this.#options.columns();
    const isSame =
      this.#waiting.length === 0 &&
      columns === this.#columns &&
      panel.length === this.#standing.length &&
      panel.every((line, index) => line === this.#standing[index]);
    if (isSame) return;
    const rows = this.#standing.reduce((sum, line) => sum + rowsOf(line, columns), 0);
    const up = rows === 0 ? '' : `\u001b[${rows}A\r`;
    const taken = rows === 0 || columns === this.#columns ? '' : `\u001b[${rows}M`;
    const lines = [...this.#waiting, ...panel].map((line) => `${line}${TO_LINE_END}\n`).join('');
    this.#options.write(`${up}${taken}${lines}${TO_SCREEN_END}`);
    this.#waiting = [];
    this.#standing = panel;
    this.#columns = columns;
  }
}

function rowsOf(line: string, columns: number): number {
  return Math.max(1, Math.ceil(widthOf(line.replace(SGR, '')) / columns));
}
