import { createToolDisplay } from '../../agents/tool-display.ts';
import type { LiveEvent } from '../../model/event.ts';
import { printable } from '../../report/text/printable.ts';

/** Turns agent progress into complete lines, joining partial text. */
export class AgentText {
  readonly #display = createToolDisplay();
  #unfinished = '';

  linesFor({ progress }: LiveEvent): readonly string[] {
    return this.linesOf(progress);
  }

  linesOf(progress: LiveEvent['progress']): readonly string[] {
    if (progress.type === 'message') return [];
    if (progress.type === 'output') return this.#add(progress.text);
    if (progress.event.type === 'text' && progress.event.delta) return this.#add(progress.event.text);
    const shown = this.#display(progress.event);
    return shown === undefined || shown === '' ? [] : [...this.flush(), ...shown.trimEnd().split('\n')];
  }

  flush(): readonly string[] {
    const rest = this.#unfinished;
    this.#unfinished = '';
    return rest === '' ? [] : [rest];
  }

  #add(text: string): readonly string[] {
    const lines = (this.#unfinished + printable(text)).split('\n');
    this.#unfinished = lines.pop() ?? '';
    return lines;
  }
}
