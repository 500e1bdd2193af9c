import { replaceFile } from '../store/atomic-write.ts';
import { renderState, type ViewedRun } from './state-text.ts';

/** While running, state.json is refreshed at most this often … */
const REFRESH_MS = 300;
/** … and never takes more than about a twentieth of the time (J3): a large state is written less often. */
const SHARE = 20;
/** About how many records' state is written in a millisecond. */
const RECORDS_PER_MS = 500;

/** Keeps `state.json` up to date: soon after every change, and at once on request. */
export class StateFile {
  #path: string;
  readonly #viewed: () => ViewedRun | undefined;
  #timer: NodeJS.Timeout | undefined;
  #pauseMs: number;

  /** `records`: how many the state includes already. */
  constructor(path: string, viewed: () => ViewedRun | undefined, records = 0) {
    this.#path = path;
    this.#viewed = viewed;
    this.#pauseMs = Math.max(REFRESH_MS, (records / RECORDS_PER_MS) * SHARE);
  }

  /** Its folder was renamed. */
  movedTo(path: string): void {
    this.#path = path;
  }

  changed(): void {
    if (this.#timer !== undefined) return;
    this.#timer = setTimeout(() => this.#refresh(), this.#pauseMs);
    this.#timer.unref();
  }

  /** For a stop, wait or end. Throws disk errors. */
  writeNow(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const viewed = this.#viewed();
    if (viewed === undefined) return;
    replaceFile(this.#path, renderState(viewed), { mode: 0o600, mayLag: true });
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #refresh(): void {
    this.#timer = undefined;
    const began = process.hrtime.bigint();
    try {
      this.writeNow();
    } catch {
      // A view that cannot be written now is written at the next change; a failure of the journal is reported separately.
    }
    this.#pauseMs = Math.max(REFRESH_MS, (Number(process.hrtime.bigint() - began) / 1e6) * SHARE);
  }
}
