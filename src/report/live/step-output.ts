import type { AgentEvent } from '../../model/agent.ts';
import type { LiveEvent } from '../../model/event.ts';
import type { StepKey } from '../../model/ids.ts';
import { unreachable } from '../../model/unreachable.ts';
import { printable } from '../text/printable.ts';

/** Describes an agent's event; `undefined` if it need not be shown. */
export type RenderAgentEvent = (event: AgentEvent) => string | undefined;

/** A line longer than this is shown in pieces, so that a step that never ends its line is shown and does not fill memory. */
const LONGEST_LINE = 4096;

/** Joins pieces of the output of steps and agents into complete lines, each with its step's name. */
export class StepOutput {
  readonly #render: RenderAgentEvent;
  readonly #unfinished = new Map<StepKey, Map<string, string>>();

  constructor(render: RenderAgentEvent) {
    this.#render = render;
  }

  linesFor(event: LiveEvent): readonly string[] {
    const { key, progress } = event;
    if (progress.type === 'message') return [];
    if (progress.type === 'output') return this.#add(key, progress.stream, progress.text);
    if (progress.event.type === 'text' && progress.event.delta)
      return this.#add(key, 'text', progress.event.text);
    const rendered = this.#render(progress.event);
    if (rendered === undefined || rendered === '') return [];
    return [...this.#finish(key, 'text'), ...printable(rendered).trimEnd().split('\n')].map(
      (line) => `  ${key} │ ${line}`,
    );
  }

  /** Returns the unfinished lines of a step that has ended. */
  flush(key: StepKey): readonly string[] {
    const streams = this.#unfinished.get(key);
    if (streams === undefined) return [];
    const lines = [...streams.keys()].flatMap((stream) => this.#finish(key, stream));
    this.#unfinished.delete(key);
    return lines.map((line) => `  ${key} │ ${line}`);
  }

  #add(key: StepKey, stream: string, text: string): readonly string[] {
    let streams = this.#unfinished.get(key);
    if (streams === undefined) {
      streams = new Map();
      this.#unfinished.set(key, streams);
    }
    const whole = (streams.get(stream) ?? '') + text;
    const lines = whole.split('\n');
    const rest = lines.pop() ?? '';
    if (rest.length > LONGEST_LINE) {
      lines.push(rest);
      streams.set(stream, '');
    } else {
      streams.set(stream, rest);
    }
    return lines
      .flatMap((line) => printable(line.replace(/\r$/, '')).split('\n'))
      .map((line) => `  ${key} │ ${line}`);
  }

  #finish(key: StepKey, stream: string): readonly string[] {
    const streams = this.#unfinished.get(key);
    const rest = streams?.get(stream) ?? '';
    streams?.delete(stream);
    return rest === '' ? [] : printable(rest).split('\n');
  }
}

/** The fallback if the agent's adapter does not render its own events. */
export function renderAgentText(event: AgentEvent): string | undefined {
  switch (event.type) {
    case 'text':
      return event.text;
    case 'tool-use':
      return `${event.name}`;
    case 'rate-limit':
      return event.resetsAt === undefined
        ? `limit: ${event.status}`
        : `limit: ${event.status} until ${event.resetsAt}`;
    case 'retry':
      return `retrying: ${event.message}`;
    case 'started':
    case 'thinking':
    case 'tool-result':
    case 'todo':
    case 'usage':
    case 'result':
    case 'unrecognised':
      return undefined;
    default:
      return unreachable(event);
  }
}
