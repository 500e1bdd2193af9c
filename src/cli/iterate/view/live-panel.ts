/** Lines that scroll by above, and a few below that are written over in place. */
import { widthOf } from '../../../report/text/width.ts';

const HIDE_CURSOR = '\u001b[?25l';
const SHOW_CURSOR = '\u001b[?25h';
const TO_LINE_END = '\u001b[K';
const TO_SCREEN_END = '\u001b[J';
const SGR = /\u001b\[\d+m/g;

export interface LivePanelOptions {
  columns(): number;
  write(text: string): void;
  /** The panel as it should stand now. */
  render(): readonly string[];
}

export class LivePanel {
  readonly #options: LivePanelOptions;
  readonly #restore = (): void => this.#options.write(SHOW_CURSOR);
  #waiting: string[] = [];
  #standing: readonly string[] = [];
  #closed = false;
  #away = false;

  constructor(options: LivePanelOptions) {
    this.#options = options;
    options.write(HIDE_CURSOR);
    process.once('exit', this.#restore);
  }

  /** Shown with the next frame, above the panel. */
  say(lines: readonly string[]): void {
    if (this.#closed) this.#options.write(lines.map((line) => `${line}\n`).join(''));
    else this.#waiting.push(...lines);
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

  /** One write a frame. A panel wrapped by a terminal that became narrower has more rows than lines. */
  #draw(panel: readonly string[]): void {
    const isSame =
      this.#waiting.length === 0 &&
      panel.length === this.#standing.length &&
      panel.every((line, index) => line === this.#standing[index]);
    if (isSame) return;
    const columns = Math.max(1, this.#options.columns());
    const rows = this.#standing.reduce(
      (sum, line) => sum + Math.max(1, Math.ceil(widthOf(line.replace(SGR, '')) / columns)),
      0,
    );
    const lines = [...this.#waiting, ...panel].map((line) => `${line}${TO_LINE_END}\n`).join('');
    this.#options.write(`${rows === 0 ? '' : `\u001b[${rows}A\r`}${lines}${TO_SCREEN_END}`);
    this.#waiting = [];
    this.#standing = panel;
  }
}
