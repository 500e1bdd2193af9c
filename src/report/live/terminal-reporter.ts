/**
 * The live panel: finished lines scroll by above, the lines of the panel are written over in place.
 *
 * T1 At most one frame in `FRAME_MS`, whatever happens; a frame is one write.
 * T2 A line of the panel is narrower than the terminal, so that the terminal never wraps it. After the terminal was made narrower, what
 *    stands there has been wrapped: its rows are counted anew before they are written over.
 * T3 The cursor is hidden while the panel stands, and comes back when it is closed or the process exits.
 */
import type { RunEvent } from '../../model/event.ts';
import type { Reporter } from '../reporter.ts';
import type { Palette } from '../text/palette.ts';
import { printableLine } from '../text/printable.ts';
import { widthOf } from '../text/width.ts';
import type { Clock } from './clock.ts';
import { closingLines } from './closing.ts';
import { LineWriter, renderLine } from './lines.ts';
import { panelLines } from './panel.ts';
import { Scroll } from './scroll.ts';
import { type RenderAgentEvent, renderAgentText, type StepOutput } from './step-output.ts';
import type { Tally } from './tally.ts';

const FRAME_MS = 100;
const HIDE_CURSOR = '\u001b[?25l';
const SHOW_CURSOR = '\u001b[?25h';
const TO_LINE_END = '\u001b[K';
const TO_SCREEN_END = '\u001b[J';
const SGR = /\u001b\[\d+m/g;

export interface TerminalReporterOptions {
  readonly tally: Tally;
  readonly palette: Palette;
  readonly clock: Clock;
  /** Present: what steps print and agents say scrolls by too. */
  readonly output?: StepOutput;
  readonly renderAgentEvent?: RenderAgentEvent;
  columns(): number;
  write(text: string): void;
}

export class TerminalReporter implements Reporter {
  readonly #options: TerminalReporterOptions;
  readonly #lines: LineWriter;
  readonly #scroll = new Scroll();
  readonly #activity = new Map<string, string>();
  readonly #stopFrames: () => void;
  readonly #restore = (): void => this.#options.write(SHOW_CURSOR);
  /** Lines written and not yet on the screen, and those of the panel that are. */
  #text: string[] = [];
  #panel: readonly string[] = [];
  #turn = 0;
  #closed = false;

  constructor(options: TerminalReporterOptions) {
    this.#options = options;
    this.#lines = new LineWriter(options.tally);
    options.write(HIDE_CURSOR);
    process.once('exit', this.#restore);
    this.#stopFrames = options.clock.every(FRAME_MS, () => this.#frame());
  }

  event(event: RunEvent): void {
    const { tally, palette, output } = this.#options;
    tally.apply(event);
    if (event.type === 'progress') this.#notice(event);
    if (event.type === 'step-ended') {
      this.#activity.delete(event.key);
      if (output !== undefined) this.#text.push(...output.flush(event.key));
    }
    const lines = this.#lines.linesFor(event);
    for (const line of lines) {
      if (line.type === 'started') this.#activity.delete(line.name);
      else if (event.type === 'attempt-ended') this.#activity.set(line.name, line.text);
    }
    // What begins is seen in the panel.
    this.#scroll.add(lines.filter((line) => line.type !== 'started'));
    if (event.type === 'run-ended') {
      this.#scrolled(true);
      this.#text.push(...closingLines(tally, event, palette));
      this.close();
    }
  }

  say(text: string): void {
    if (this.#closed) this.#options.write(`${text}\n`);
    else this.#text.push(text);
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#stopFrames();
    process.removeListener('exit', this.#restore);
    this.#scrolled(true);
    this.#draw([]);
    this.#options.write(SHOW_CURSOR);
  }

  #notice(event: Extract<RunEvent, { type: 'progress' }>): void {
    const { output, renderAgentEvent } = this.#options;
    if (output !== undefined) this.#text.push(...output.linesFor(event));
    const { progress, key } = event;
    if (progress.type === 'message') this.#activity.set(key, printableLine(progress.text));
    if (progress.type !== 'agent') return;
    const seen = printableLine((renderAgentEvent ?? renderAgentText)(progress.event) ?? '');
    if (seen !== '') this.#activity.set(key, seen);
  }

  #frame(): void {
    const { tally, palette, clock } = this.#options;
    this.#turn += 1;
    this.#scrolled(false);
    this.#draw(
      panelLines({
        tally,
        palette,
        columns: this.#options.columns() - 1,
        now: clock.now(),
        turn: this.#turn,
        activity: this.#activity,
      }),
    );
  }

  #scrolled(last: boolean): void {
    const { palette, clock } = this.#options;
    for (const line of this.#scroll.take(clock.now(), last)) this.#text.push(renderLine(line, palette));
  }

  /** T1, T2. */
  #draw(panel: readonly string[]): void {
    const columns = Math.max(1, this.#options.columns());
    const rows = this.#panel.reduce(
      (sum, line) => sum + Math.max(1, Math.ceil(widthOf(line.replace(SGR, '')) / columns)),
      0,
    );
    const up = rows === 0 ? '' : `\u001b[${rows}A\r`;
    const lines = [...this.#text, ...panel].map((line) => `${line}${TO_LINE_END}\n`);
    const unchanged =
      this.#text.length === 0 &&
      panel.length === this.#panel.length &&
      panel.every((line, index) => line === this.#panel[index]);
    if (unchanged) return;
    this.#options.write(`${up}${lines.join('')}${TO_SCREEN_END}`);
    this.#text = [];
    this.#panel = panel;
  }
}
