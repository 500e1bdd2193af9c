/**
 * Watches `.status.json` during a run. The file may appear late, be replaced by rename, or be read half
 * written: the folder is watched, with polling as a fallback, and an unreadable file is read again later.
 */
import { dirname } from 'node:path';
import { FolderWatch } from '../../store/folder-watch.ts';
import { readPlainText } from '../../store/plain-file.ts';
import { parseStatus, type Status, withoutTime } from './status.ts';

export interface StatusChange {
  readonly status: Status;
  /** Items completed since the last reported change. */
  readonly completedDelta: number;
}

export interface StatusWatchOptions {
  /** Absolute path. */
  readonly path: string;
  readonly debounceMs: number;
  /** Ignores a change of only the timestamp. */
  readonly notifyOnlyMeaningful: boolean;
  readonly pollMs?: number;
  onChange(change: StatusChange): void;
}

const POLL_MS = 1000;

export class StatusWatch {
  readonly #options: StatusWatchOptions;
  readonly #folder = new FolderWatch(() => this.#changed());
  readonly #poll: NodeJS.Timeout;
  #timer: NodeJS.Timeout | undefined;
  #seen: string | undefined;
  #reported: { readonly text: string; readonly completed: number } | undefined;

  /** The current content is taken as known and not reported. */
  constructor(options: StatusWatchOptions) {
    this.#options = options;
    const text = this.#read();
    this.#seen = text;
    if (text !== undefined) this.#remember(text);
    this.#folder.add([dirname(options.path)]);
    this.#poll = setInterval(() => this.#look(), options.pollMs ?? POLL_MS);
    this.#poll.unref();
  }

  /** Reports a pending change. */
  close(): void {
    clearInterval(this.#poll);
    clearTimeout(this.#timer);
    this.#folder.close();
    this.#report();
  }

  #look(): void {
    if (this.#read() !== this.#seen) this.#changed();
  }

  /** The first change starts the interval; changes within it are reported together. */
  #changed(): void {
    if (this.#timer !== undefined) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#report();
    }, this.#options.debounceMs);
    this.#timer.unref();
  }

  #report(): void {
    const text = this.#read();
    if (text === undefined || text === this.#seen) return;
    const parsed = parseStatus(text);
    if (parsed.type === 'error') return;
    this.#seen = text;
    const before = this.#reported;
    const isMeaningful = withoutTime(text) !== (before === undefined ? undefined : withoutTime(before.text));
    if (this.#options.notifyOnlyMeaningful && !isMeaningful) return;
    this.#remember(text);
    const completed = parsed.value.progress?.completed ?? 0;
    this.#options.onChange({ status: parsed.value, completedDelta: completed - (before?.completed ?? 0) });
  }

  #remember(text: string): void {
    const parsed = parseStatus(text);
    if (parsed.type === 'ok') this.#reported = { text, completed: parsed.value.progress?.completed ?? 0 };
  }

  #read(): string | undefined {
    try {
      return readPlainText(this.#options.path);
    } catch {
      return undefined;
    }
  }
}
