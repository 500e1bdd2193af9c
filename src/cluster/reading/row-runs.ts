/**
 * The runs of a workspace together with those of the workers' database. A run is read from its folder in the workspace if that has everything
 * that the rows have; otherwise from a copy of the rows (`mirror.ts`), so that every view is the same wherever the run was carried out.
 * Whether it is alive, the rows know: a run whose worker has died is taken over by another.
 */
import fs from 'node:fs';
import type { Rows } from '../../engine/dbos/database.ts';
import type { RunId } from '../../model/ids.ts';
import { parseRunId } from '../../model/ids.ts';
import { uptimeMs } from '../../model/uptime.ts';
import { lastOf } from '../../operations/runs/find-run.ts';
import { folderSource } from '../../operations/runs/run-source.ts';
import type { RunSource, RunsOfWorkers } from '../../operations/workers.ts';
import { readJournalEnd } from '../../store/journal-end.ts';
import type { RunPaths } from '../../store/layout.ts';
import { readLock } from '../../store/lock-file.ts';
import { JournalMirror } from './mirror.ts';
import { type RunHead, readHeads, readQueued } from './run-heads.ts';

/** A database that was out of reach is not asked again for so long: a page asks often. */
const REST_MS = 3000;

interface Chosen {
  readonly stamp: string;
  readonly paths: RunPaths;
  /** Not only the journal. */
  readonly hasFiles: boolean;
}

export interface RowRunsSite {
  readonly workspace: string;
  /** The folder of copies. */
  readonly cache: string;
  /** Brings what a run wrote besides its journal, if it can be had from here. */
  fetchFiles(runId: RunId, folder: string): Promise<void>;
}

export class RowRuns implements RunsOfWorkers {
  readonly #rows: Rows;
  readonly #folder: RunSource;
  readonly #mirror: JournalMirror;
  readonly #fetchFiles: RowRunsSite['fetchFiles'];
  #heads = new Map<RunId, RunHead>();
  /** Where each run is read, and what it looked like when that was decided. */
  readonly #chosen = new Map<RunId, Chosen>();
  #turn: Promise<void> = Promise.resolve();
  #failed: { readonly at: number; readonly cause: unknown } | undefined;

  constructor(rows: Rows, { workspace, cache, fetchFiles }: RowRunsSite) {
    this.#rows = rows;
    this.#fetchFiles = fetchFiles;
    this.#folder = folderSource(workspace);
    this.#mirror = new JournalMirror(cache, rows);
  }

  ids(): readonly RunId[] {
    return [...new Set([...this.#folder.ids(), ...this.#heads.keys()])].sort().reverse();
  }

  pathsOf(runId: RunId): RunPaths {
    return this.#chosen.get(runId)?.paths ?? this.#folder.pathsOf(runId);
  }

  isAlive(runId: RunId): boolean {
    const head = this.#heads.get(runId);
    return head === undefined
      ? this.#folder.isAlive(runId)
      : head.state === 'queued' || head.state === 'live';
  }

  has(runId: RunId): boolean {
    return this.#heads.has(runId);
  }

  stampOf(runId: RunId): string | undefined {
    const head = this.#heads.get(runId);
    return head === undefined ? undefined : stampOf(head);
  }

  refresh(asked?: string): Promise<void> {
    const turn = this.#turn.then(() => this.#refresh(asked));
    this.#turn = turn.catch(() => {});
    return turn;
  }

  async #refresh(asked: string | undefined): Promise<void> {
    if (this.#failed !== undefined && uptimeMs() - this.#failed.at < REST_MS) throw this.#failed.cause;
    try {
      await this.#bring(asked);
      this.#failed = undefined;
    } catch (cause) {
      this.#failed = { at: uptimeMs(), cause };
      throw cause;
    }
  }

  async #bring(asked: string | undefined): Promise<void> {
    const one = asked === undefined ? undefined : parseRunId(asked);
    const heads = await readHeads(this.#rows, one);
    if (one !== undefined) {
      this.#heads.delete(one);
      for (const head of heads) this.#heads.set(one, head);
      await this.#bringRun(one, true);
      return;
    }
    this.#heads = new Map(heads.map((head) => [head.runId, head]));
    for (const runId of this.ids()) {
      if (asked !== undefined && asked !== 'last' && !runId.startsWith(asked)) continue;
      await this.#bringRun(runId, asked !== undefined);
      if (asked === 'last' && lastOf(this, [runId]) !== undefined) return;
    }
    if (asked === undefined) await this.#mirror.keepOnly(new Set(this.#heads.keys()));
  }

  async #bringRun(runId: RunId, withFiles: boolean): Promise<void> {
    const head = this.#heads.get(runId);
    if (head === undefined) {
      this.#chosen.delete(runId);
      return;
    }
    const stamp = stampOf(head);
    const known = this.#chosen.get(runId);
    if (known?.stamp === stamp && (known.hasFiles || !withFiles)) return;
    if (head.records === 0) {
      const first = await readQueued(this.#rows, runId);
      if (first !== undefined)
        this.#chosen.set(runId, { stamp, hasFiles: true, paths: this.#mirror.placeQueued(runId, first) });
      return;
    }
    const here = this.#folder.pathsOf(runId);
    const isHere = fs.existsSync(here.directory);
    if (isHere && hasAll(here, head)) {
      this.#chosen.set(runId, { stamp, hasFiles: true, paths: here });
      return;
    }
    if (!this.#mirror.hasAll(runId, head.records)) await this.#mirror.bring(runId, head.records);
    const copy = this.#mirror.pathsOf(runId);
    if (withFiles && !isHere) await this.#fetchFiles(runId, copy.directory);
    // Logs, prompts and patches of the folder are those of the run, too.
    const paths = isHere ? { ...here, journal: copy.journal, state: copy.state } : copy;
    this.#chosen.set(runId, { stamp, hasFiles: withFiles || isHere, paths });
  }
}

function stampOf({ state, turn, records }: RunHead): string {
  return `${state} ${turn} ${records}`;
}

/** A host that has the folder writes each row to it as soon as it is saved. */
function hasAll({ journal, lock }: RunPaths, { state, records, host }: RunHead): boolean {
  if (state === 'live' && host !== undefined) {
    const owner = readLock(lock)?.owner;
    if (owner?.pid === host.pid && owner.host === host.machine) return true;
  }
  return (readJournalEnd(journal)?.records ?? -1) >= records;
}
