/**
 * Announces what calls on this worker do right now, to whoever follows their run. Announcements may be lost: the logs have everything.
 *
 * P1 Nothing here delays or fails a step: one statement at a time for the whole worker, which nobody waits for, outages included.
 * P2 A call announces at most ten times a second, and never more than the server takes at once: the rest of an overlong text is left out.
 */
import type { Progress } from '../../model/event.ts';
import type { Rows } from './database.ts';

export interface AnnouncedProgress {
  readonly key: string;
  readonly attempt: number;
  readonly progress: readonly Progress[];
}

export interface AnnouncingCall {
  readonly runId: string;
  readonly key: string;
  readonly attempt: number;
}

/** The followers of a run listen there. */
export function progressChannel(runId: string): string {
  return `orchestrate/${runId}`;
}

const EVERY_MS = 100;
/** PostgreSQL takes less than 8000 bytes. There is always room for the mark of a cut. */
const MOST_BYTES = 7000;
const MOST_CALLS = 200;
const CUT = ' …\n';

export class LiveProgress {
  readonly #rows: Rows;
  readonly #unsent = new Map<string, Unsent>();
  #timer: NodeJS.Timeout | undefined;
  #isSending = false;

  constructor(rows: Rows) {
    this.#rows = rows;
  }

  /** `redact` removes secrets, from what is not left out. */
  announce(
    call: AnnouncingCall,
    progress: Progress,
    redact: (progress: Progress) => Progress = (given) => given,
  ): void {
    const name = `${call.runId}/${call.key}~${call.attempt}`;
    let unsent = this.#unsent.get(name);
    if (unsent === undefined) {
      if (this.#unsent.size >= MOST_CALLS) return;
      unsent = new Unsent(call);
      this.#unsent.set(name, unsent);
    }
    if (!unsent.isFull) unsent.add(redact(progress));
    this.#timer ??= setTimeout(() => this.flush(), EVERY_MS);
  }

  /** Sends what there is, without waiting for it: before the end of a call is recorded. */
  flush(): void {
    if (this.#isSending || this.#unsent.size === 0) return;
    clearTimeout(this.#timer);
    const all = [...this.#unsent.values()];
    this.#unsent.clear();
    void this.#send(all);
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#unsent.clear();
  }

  async #send(all: readonly Unsent[]): Promise<void> {
    this.#isSending = true;
    try {
      await this.#rows.query(
        'select pg_notify(channel, said) from unnest($1::text[], $2::text[]) as announced (channel, said)',
        [all.map(({ call }) => progressChannel(call.runId)), all.map((each) => each.text())],
      );
    } catch {
      // P1
    }
    this.#isSending = false;
    this.#timer = this.#unsent.size === 0 ? undefined : setTimeout(() => this.flush(), EVERY_MS);
  }
}

/** P2 */
class Unsent {
  readonly call: AnnouncingCall;
  readonly #progress: Progress[] = [];
  #room: number;
  isFull = false;

  constructor(call: AnnouncingCall) {
    this.call = call;
    this.#room = MOST_BYTES - Buffer.byteLength(this.text());
  }

  add(progress: Progress): void {
    const size = sizeOf(progress);
    if (size <= this.#room) {
      this.#room -= size;
      this.#join(progress);
      return;
    }
    const cut = cutTo(progress, this.#room);
    if (cut === undefined) return;
    this.isFull = true;
    this.#join(cut);
  }

  text(): string {
    const { key, attempt } = this.call;
    return JSON.stringify({ key, attempt, progress: this.#progress } satisfies AnnouncedProgress);
  }

  #join(progress: Progress): void {
    const last = this.#progress.at(-1);
    if (last?.type === 'output' && progress.type === 'output' && last.stream === progress.stream)
      this.#progress[this.#progress.length - 1] = { ...last, text: last.text + progress.text };
    else this.#progress.push(progress);
  }
}

/** With the comma after it. */
function sizeOf(progress: Progress): number {
  return Buffer.byteLength(JSON.stringify(progress)) + 1;
}

/** Undefined if it has no text that could be shorter. The mark ends the line: what follows later does not continue it. */
function cutTo(progress: Progress, room: number): Progress | undefined {
  const text = textOf(progress);
  if (text === undefined) return undefined;
  for (let length = Math.min(text.length, room); length > 0; length = Math.floor(length * 0.8)) {
    const cut = withText(progress, text.slice(0, length) + CUT);
    if (sizeOf(cut) <= room) return cut;
  }
  return withText(progress, CUT);
}

function textOf(progress: Progress): string | undefined {
  if (progress.type !== 'agent') return progress.text;
  return progress.event.type === 'text' ? progress.event.text : undefined;
}

function withText(progress: Progress, text: string): Progress {
  if (progress.type !== 'agent') return { ...progress, text };
  return progress.event.type === 'text' ? { ...progress, event: { ...progress.event, text } } : progress;
}
