/** A run that is being watched: its index grows with its journal. Nothing is written (J6). */
import { RunIndex } from '../../engine/run-index.ts';
import type { RunId } from '../../model/ids.ts';
import type { RunState } from '../../model/run-state.ts';
import type { JournalDamage } from '../../store/journal-file.ts';
import { JournalTail, type TailMark } from '../../store/journal-tail.ts';
import type { RunPaths } from '../../store/layout.ts';
import { type OfRuns, sourceOf } from '../runs/run-source.ts';
import { abandoned } from '../runs/seen-state.ts';
import type { RunSource } from '../workers.ts';

export class LiveRun {
  readonly workspace: string;
  readonly runId: RunId;
  readonly #source: RunSource;
  #paths: RunPaths;
  #tail: JournalTail;
  #index = new RunIndex();
  #isAlive = false;
  #damage: JournalDamage | undefined;
  #generation = 1;
  #reading: Promise<void> | undefined;

  constructor(site: OfRuns, runId: RunId) {
    this.workspace = site.workspace;
    this.runId = runId;
    this.#source = sourceOf(site);
    this.#paths = this.#source.pathsOf(runId);
    this.#tail = new JournalTail(this.#paths.journal, 'indexed');
  }

  get paths(): RunPaths {
    return this.#paths;
  }

  get index(): RunIndex {
    return this.#index;
  }

  /** The process that owns it is alive, or may be alive on another machine. */
  get isAlive(): boolean {
    return this.#isAlive;
  }

  /** What stands before the damage is in the index. */
  get damage(): JournalDamage | undefined {
    return this.#damage;
  }

  /** Counts how often the journal was replaced: rows of an earlier generation no longer count. */
  get generation(): number {
    return this.#generation;
  }

  /** How far its journal was read. */
  get mark(): TailMark {
    return this.#tail.mark;
  }

  /** Its journal still starts with what an earlier reader had read. */
  startsWith(mark: TailMark): Promise<boolean> {
    return this.#tail.startsWith(mark);
  }

  /** The state as views show it: a run whose process is gone was interrupted. Undefined if the run has not started. */
  get state(): RunState | undefined {
    const { state } = this.#index;
    if (state === undefined || state.status !== 'running' || this.#isAlive) return state;
    return abandoned(state);
  }

  /** Its process is gone without having recorded an end. */
  get isAbandoned(): boolean {
    return this.#index.state?.status === 'running' && !this.#isAlive;
  }

  /** Reads what was added. Callers at the same time share one reading. */
  refresh(): Promise<void> {
    this.#reading ??= this.#read().finally(() => {
      this.#reading = undefined;
    });
    return this.#reading;
  }

  async #read(): Promise<void> {
    // Before the journal is read: a run that ends meanwhile must not look interrupted.
    const isAlive = this.#looksAlive();
    const { journal } = this.#paths;
    this.#paths = this.#source.pathsOf(this.runId);
    if (this.#paths.journal !== journal) this.#startAgain();
    let read = await this.#tail.read((event, place) => this.#index.apply(event, place));
    if (read.type === 'replaced' || (this.#damage !== undefined && read.type !== 'damaged')) {
      this.#startAgain();
      read = await this.#tail.read((event, place) => this.#index.apply(event, place));
    }
    this.#damage = read.type === 'damaged' ? read.damage : undefined;
    this.#isAlive = isAlive;
  }

  #startAgain(): void {
    this.#tail = new JournalTail(this.#paths.journal, 'indexed');
    this.#index = new RunIndex();
    this.#generation += 1;
  }

  #looksAlive(): boolean {
    try {
      return this.#source.isAlive(this.runId);
    } catch {
      // A lock that cannot be read says nothing about the run; the journal reports why.
      return false;
    }
  }
}
