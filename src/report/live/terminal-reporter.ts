/** A run on a terminal: finished steps scroll by, running steps are shown in a panel below. At most one frame per `FRAME_MS`. */
import type { RunEvent } from '../../model/event.ts';
import type { Palette } from '../text/palette.ts';
import { printableLine } from '../text/printable.ts';
import type { Clock } from './clock.ts';
import { closingLines } from './closing.ts';
import { LineWriter, renderLine } from './lines.ts';
import { LivePanel } from './live-panel.ts';
import { panelLines } from './panel.ts';
import type { Reporter } from './reporter.ts';
import { Scroll } from './scroll.ts';
import { type RenderAgentEvent, renderAgentText, type StepOutput } from './step-output.ts';
import type { Tally } from './tally.ts';

const FRAME_MS = 100;

export interface TerminalReporterOptions {
  readonly tally: Tally;
  readonly palette: Palette;
  readonly clock: Clock;
  /** If present, the output of steps and agents scrolls by too. */
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
  readonly #panel: LivePanel;
  #turn = 0;

  constructor(options: TerminalReporterOptions) {
    this.#options = options;
    this.#lines = new LineWriter(options.tally);
    this.#panel = new LivePanel({
      columns: () => options.columns(),
      write: (text) => options.write(text),
      render: () => this.#render(),
    });
    this.#stopFrames = options.clock.every(FRAME_MS, () => this.#frame());
  }

  event(event: RunEvent): void {
    const { tally, palette, output } = this.#options;
    tally.apply(event);
    if (event.type === 'progress') this.#notice(event);
    if (event.type === 'step-ended') {
      this.#activity.delete(event.key);
      if (output !== undefined) this.#panel.say(output.flush(event.key));
    }
    const lines = this.#lines.linesFor(event);
    for (const line of lines) {
      if (line.type === 'started') this.#activity.delete(line.name);
      else if (event.type === 'attempt-ended') this.#activity.set(line.name, line.text);
    }
    // Started steps are shown in the panel.
    this.#scroll.add(lines.filter((line) => line.type !== 'started'));
    if (event.type === 'run-ended') {
      this.#scrolled(true);
      this.#panel.say(closingLines(tally, event, palette));
      this.close();
    }
  }

  say(text: string): void {
    this.#panel.say([text]);
  }

  stopping(): void {
    this.#options.tally.stopping();
  }

  close(): void {
    this.#stopFrames();
    this.#scrolled(true);
    this.#panel.close();
  }

  #notice(event: Extract<RunEvent, { type: 'progress' }>): void {
    const { output, renderAgentEvent } = this.#options;
    if (output !== undefined) this.#panel.say(output.linesFor(event));
    const { progress, key } = event;
    if (progress.type === 'message') this.#activity.set(key, printableLine(progress.text));
    if (progress.type !== 'agent') return;
    const seen = printableLine((renderAgentEvent ?? renderAgentText)(progress.event) ?? '');
    if (seen !== '') this.#activity.set(key, seen);
  }

  #frame(): void {
    this.#turn += 1;
    this.#scrolled(false);
    this.#panel.frame();
  }

  #render(): readonly string[] {
    const { tally, palette, clock } = this.#options;
    return panelLines({
      ...{ tally, palette, activity: this.#activity },
      ...{ columns: this.#options.columns() - 1, now: clock.now(), turn: this.#turn },
    });
  }

  #scrolled(last: boolean): void {
    const { palette, clock } = this.#options;
    const lines = this.#scroll.take(clock.now(), last);
    if (lines.length > 0) this.#panel.say(lines.map((line) => renderLine(line, palette)));
  }
}
