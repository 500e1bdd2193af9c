/**
 * The panel at the bottom of a terminal: messages scroll by above it, its own lines are rewritten in place.
 *
 * T1 A frame is one write. A frame that changes nothing is not written.
 * T2 A narrower terminal has wrapped the lines of the panel: their rows are counted again before they are overwritten. After any change
 *    of width the rows are deleted first, since the terminal may still treat two of them as parts of one line.
 * T3 The cursor is hidden while the panel is shown, and restored when the panel is closed or left or the process exits.
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
  /** Returns the panel's current lines. Each is narrower than the terminal, so that none wraps. */
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

  /** Shows lines above the panel, with the next frame. */
  say(lines: readonly string[]): void {
    if (this.#closed) this.#options.write(lines.map((line) => `${line}\n`).join(''));
    else for (const line of lines) this.#waiting.push(line);
  }

  frame(): void {
    if (!this.#closed && !this.#away) this.#draw(this.#options.render());
  }

  /** Gives the terminal to another program until `comeBack`; messages are held until then. */
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

  /** Removes the panel; messages stay. */
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
