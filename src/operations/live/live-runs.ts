/**
 * The runs of a workspace, for those who watch them. Reads only what has changed: a run that has ended keeps its summary until its folder
 * changes, which taking its lock does; a live one keeps its index. Nothing is written (J6).
 */
import fs from 'node:fs';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { parseRunId, type RunId } from '../../model/ids.ts';
import { FolderWatch } from '../../store/folder-watch.ts';
import { runsFolder } from '../../store/layout.ts';
import { type OfRuns, sourceOf } from '../runs/run-source.ts';
import type { RunSource } from '../workers.ts';
import { LiveRun } from './live-run.ts';
import { type RunSummary, summarize } from './run-summary.ts';

/** A system may have no watches left, and a folder on another machine reports nothing. */
const POLL_MS = 2000;
/** Indexes of runs that were looked at and have ended. */
const MOST_KEPT = 4;
const SLICE_MS = 10;
/** The view of a run, which says nothing that its journal does not, is written several times a second. */
const VIEW = /^\.?state\.json/;

interface Known {
  readonly stamp: string;
  readonly summary: RunSummary;
  /** The revision in which it changed. */
  readonly revision: number;
}

export class LiveRuns {
  readonly #site: OfRuns;
  readonly #source: RunSource;
  readonly #known = new Map<RunId, Known>();
  readonly #live = new Map<RunId, LiveRun>();
  readonly #opened = new Map<RunId, LiveRun>();
  readonly #onChange: () => void;
  readonly #watch: FolderWatch;
  #removed: { readonly runId: RunId; readonly revision: number }[] = [];
  #revision = 0;
  #timer: NodeJS.Timeout | undefined;
  #refreshing: Promise<void> | undefined;
  #lookedAt = 0;

  /** `onChange`: something may have changed. */
  constructor(site: OfRuns, onChange: () => void) {
    this.#site = site;
    this.#source = sourceOf(site);
    this.#onChange = onChange;
    this.#watch = new FolderWatch((name) => {
      if (name !== undefined && VIEW.test(name)) return;
      // A run that is watched writes hundreds of times a second, and each event wakes the server. The next look watches again before it reads.
      this.#watch.close();
      this.#onChange();
    });
  }

  /** Grows whenever a run of the list has changed. */
  get revision(): number {
    return this.#revision;
  }

  /** Starts to call `onChange`. */
  watch(): void {
    if (this.#timer !== undefined) return;
    this.#timer = setInterval(() => {
      this.#addWatches();
      this.#onChange();
    }, POLL_MS);
    this.#timer.unref();
    this.#addWatches();
  }

  /** Nobody looks any more. */
  rest(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#watch.close();
  }

  /** Newest first. */
  list(): readonly RunSummary[] {
    return listOf(this.#known);
  }

  summary(runId: RunId): RunSummary | undefined {
    return this.#known.get(runId)?.summary;
  }

  /** What has changed after this revision. */
  since(revision: number): { readonly changed: readonly RunSummary[]; readonly removed: readonly string[] } {
    return {
      changed: listOf(new Map([...this.#known].filter(([, known]) => known.revision > revision))),
      removed: this.#removed.filter((each) => each.revision > revision).map(({ runId }) => runId),
    };
  }

  /** The run with its index; undefined if there is no such folder. */
  async open(asked: string): Promise<LiveRun | undefined> {
    const runId = parseRunId(asked);
    if (runId === undefined) return undefined;
    await this.#askWorkers(runId);
    if (!isFolder(this.#source.pathsOf(runId).directory)) return undefined;
    const run = this.#live.get(runId) ?? this.#opened.get(runId) ?? new LiveRun(this.#site, runId);
    this.#opened.delete(runId);
    this.#opened.set(runId, run);
    for (const oldest of this.#opened.keys()) {
      if (this.#opened.size <= MOST_KEPT) break;
      this.#opened.delete(oldest);
    }
    this.#watch.add(this.#timer === undefined ? [] : [run.paths.directory, run.paths.logs]);
    await run.refresh();
    return run;
  }

  /** Looks at every run that may have changed. Callers at the same time share one look. */
  refresh(): Promise<void> {
    return this.#share(true);
  }

  /** The same for those who watch: runs without a process are checked every two seconds. */
  follow(): Promise<void> {
    return this.#share(Date.now() - this.#lookedAt >= POLL_MS);
  }

  async #share(isFull: boolean): Promise<void> {
    // A look in progress may have missed what has just changed.
    if (isFull) await this.#refreshing;
    this.#refreshing ??= this.#look(isFull).finally(() => {
      this.#refreshing = undefined;
    });
    return this.#refreshing;
  }

  async #look(isFull: boolean): Promise<void> {
    if (isFull) this.#lookedAt = Date.now();
    if (this.#timer !== undefined) this.#addWatches();
    await this.#askWorkers();
    const runIds = this.#listIds();
    const there = new Set(runIds);
    for (const runId of this.#known.keys()) if (!there.has(runId)) this.#forget(runId);
    let sliceEnds = performance.now() + SLICE_MS;
    for (const runId of runIds) {
      if (!isFull && this.#known.has(runId) && !this.#live.has(runId)) continue;
      await this.#lookAt(runId);
      if (performance.now() < sliceEnds) continue;
      await nextTurn();
      sliceEnds = performance.now() + SLICE_MS;
    }
  }

  async #lookAt(runId: RunId): Promise<void> {
    const live = this.#live.get(runId);
    const { directory, journal } = this.#source.pathsOf(runId);
    // Before it is read: a change meanwhile is seen the next time.
    const folder = `${stampOf(directory)} ${this.#site.workers?.runs.stampOf(runId) ?? ''}`;
    const stamp = `${folder} ${live === undefined ? '' : stampOf(journal)}`;
    const known = this.#known.get(runId);
    if (known?.stamp === stamp && (live === undefined || known.summary.process_alive)) {
      if (live === undefined) return;
      // A killed process leaves every file as it was.
      await live.refresh();
      if (live.isAlive) return;
    }
    const run = live ?? this.#opened.get(runId) ?? new LiveRun(this.#site, runId);
    const file = stampOf(run.paths.journal);
    await run.refresh();
    if (run.isAlive) this.#live.set(runId, run);
    else this.#live.delete(runId);
    const summary = summarize(run, Date.now());
    this.#revision += 1;
    const seen = `${folder} ${run.isAlive ? file : ''}`;
    this.#known.set(runId, { stamp: seen, summary, revision: this.#revision });
    // What it wrote since it was read has not been reported.
    if (run.isAlive && this.#timer !== undefined && this.#watch.add([directory])) this.#onChange();
  }

  /** While their database is out of reach, what is known of their runs stays. */
  async #askWorkers(runId?: RunId): Promise<void> {
    await this.#site.workers?.runs.refresh(runId).catch(() => {});
  }

  #forget(runId: RunId): void {
    this.#known.delete(runId);
    this.#live.delete(runId);
    this.#opened.delete(runId);
    this.#revision += 1;
    this.#removed = [...this.#removed.slice(-999), { runId, revision: this.#revision }];
  }

  #listIds(): readonly RunId[] {
    try {
      return this.#source.ids();
    } catch {
      // The workspace is gone, or is no folder any more.
      return [];
    }
  }

  #addWatches(): void {
    try {
      this.#watch.add([
        runsFolder(this.#site.workspace),
        ...[...this.#live.values()].map((run) => run.paths.directory),
      ]);
    } catch {
      // Polling continues.
    }
  }
}

function listOf(known: ReadonlyMap<RunId, Known>): readonly RunSummary[] {
  return [...known.values()].map(({ summary }) => summary).sort((a, b) => (a.run_id < b.run_id ? 1 : -1));
}

/** Longer than the tick of any kernel's clock: two changes within one have the same time. */
const TICK_MS = 50;

/** Never the same twice for what has changed just now: the next change could not be seen. */
function stampOf(path: string): string {
  const stat = fs.lstatSync(path, { throwIfNoEntry: false });
  if (stat === undefined) return '-';
  const isSettled = Math.abs(Date.now() - stat.mtimeMs) > TICK_MS;
  return `${stat.ino}:${stat.size}:${stat.mtimeMs}${isSettled ? '' : ` at ${performance.now()}`}`;
}

function isFolder(path: string): boolean {
  return fs.lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}
