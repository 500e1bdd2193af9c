/**
 * The runs of a workspace as the keeper sees them. It looks every two seconds, and a journal may have hundreds of megabytes: a run that has a
 * process is not read, and one without is read again only after it has changed.
 */
import fs from 'node:fs';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { RunId } from '../model/ids.ts';
import { isJsonObject, type JsonValue } from '../model/json.ts';
import type { RunState } from '../model/run-state.ts';
import type { ReadRunProblem } from '../operations/problem.ts';
import { hasDueNotices } from '../operations/runs/due-notices.ts';
import { readState } from '../operations/runs/read-state.ts';
import { type RunHead, readLeftRun } from '../operations/runs/run-head.ts';
import { folderSource } from '../operations/runs/run-source.ts';
import { isAbandoned } from '../operations/runs/seen-state.ts';
import type { RunSource } from '../operations/workers.ts';
import { type RunPaths, runPaths, runsFolder } from '../store/layout.ts';
import type { IdleRun } from './take-up.ts';

const SLICE_MS = 10;
/** A larger view takes longer to parse than a server may keep others waiting. */
const LARGE_VIEW_BYTES = 512 * 1024;

export function hasRun(workspace: string, runId: RunId): boolean {
  return fs.existsSync(runPaths(workspace, runId).journal);
}

export interface SeenRuns {
  /** How many have a process. */
  readonly alive: number;
  readonly idle: readonly IdleRun[];
}

type Seen = 'alive' | 'ended' | IdleRun;

export class RunWatch {
  readonly #workspace: string;
  /** Ended runs, by what their folder looked like. */
  readonly #ended = new Map<RunId, string>();
  /** Others without a process, by what their folder and journal looked like. */
  readonly #idle = new Map<RunId, { readonly stamp: string; readonly run: IdleRun }>();

  constructor(workspace: string) {
    this.#workspace = workspace;
  }

  async look(): Promise<SeenRuns> {
    let alive = 0;
    const idle: IdleRun[] = [];
    // Resolved once: there may be thousands of runs.
    const folder = runsFolder(this.#workspace);
    const source = folderSource(this.#workspace);
    const runIds = source.ids();
    const there = new Set(runIds);
    for (const runId of this.#idle.keys()) if (!there.has(runId)) this.#idle.delete(runId);
    let sliceEnds = performance.now() + SLICE_MS;
    for (const runId of runIds) {
      if (performance.now() > sliceEnds) {
        await nextTurn();
        sliceEnds = performance.now() + SLICE_MS;
      }
      const seen = await this.#lookAt(runId, { source, directory: `${folder}/${runId}` });
      if (seen === 'alive') alive += 1;
      else if (seen !== 'ended') idle.push(seen);
    }
    return { alive, idle };
  }

  /** It has a process, waits for an answer, or its process was killed. */
  async isOpen(runId: RunId): Promise<boolean> {
    if (!hasRun(this.#workspace, runId)) return false;
    const source = folderSource(this.#workspace);
    const seen = await this.#lookAt(runId, { source, directory: source.pathsOf(runId).directory });
    if (seen === 'alive' || seen === 'ended') return seen === 'alive';
    return seen.state.status === 'waiting' || isAbandoned(seen.state);
  }

  async #lookAt(
    runId: RunId,
    { source, directory }: { readonly source: RunSource; readonly directory: string },
  ): Promise<Seen> {
    const ended = stampOf(directory);
    if (this.#ended.get(runId) === ended) return 'ended';
    const known = this.#idle.get(runId);
    this.#idle.delete(runId);
    if (hasProcess(source, runId)) return 'alive';
    const paths = source.pathsOf(runId);
    const stamp = `${ended} ${stampOf(paths.journal)}`;
    if (known?.stamp === stamp && !hasEnded(known.run.state)) {
      this.#idle.set(runId, known);
      return known.run;
    }
    const read = isOver(runId, paths) ? undefined : await readLeftRun({ runId, paths });
    // Reading a large journal takes seconds.
    if (hasProcess(source, runId)) return 'alive';
    if (read?.type !== 'ok' || (hasEnded(read.value.state) && !mayNotify(paths))) {
      // Nothing can be done for one that is damaged. One that the system did not let us read may be whole.
      if (read?.type !== 'error' || !isUnreadable(read.error)) this.#ended.set(runId, ended);
      return 'ended';
    }
    const run = idleRun(read.value);
    this.#idle.set(runId, { stamp, run });
    return run;
  }
}

/** Its view says so, if that is quicker to read than the journal. */
function isOver(runId: RunId, paths: RunPaths): boolean {
  const size = fs.statSync(paths.state, { throwIfNoEntry: false })?.size ?? 0;
  if (size === 0 || size > LARGE_VIEW_BYTES || mayNotify(paths)) return false;
  const viewed = readState(paths, runId);
  return viewed !== undefined && hasEnded(viewed);
}

function isUnreadable(problem: ReadRunProblem): boolean {
  return problem.type === 'damaged-run' && problem.damage.type === 'file-error';
}

function hasProcess(source: RunSource, runId: RunId): boolean {
  try {
    return source.isAlive(runId);
  } catch {
    // A lock that cannot be read: reading the run says why.
    return false;
  }
}

/** A run that is resumed gets a lock, which changes its folder. */
function stampOf(path: string): string {
  const stat = fs.lstatSync(path, { throwIfNoEntry: false });
  return `${stat?.ino} ${stat?.size} ${stat?.mtimeMs}`;
}

/** Its process may be sending them, and be killed meanwhile. */
function mayNotify(paths: RunPaths): boolean {
  return fs.existsSync(paths.noticesLock) || hasDueNotices(paths);
}

function hasEnded({ status }: RunState): boolean {
  return status === 'completed' || status === 'cancelled' || status === 'failed';
}

function idleRun({ runId, paths, state, signal, input }: RunHead): IdleRun {
  return {
    ...{ runId, paths, state, signal },
    isNeverKept: isNeverKept(input),
    hasDueNotices: () => hasDueNotices(paths),
  };
}

function isNeverKept(input: JsonValue): boolean {
  // A workflow in code has no definition.
  const { definition = input } = isJsonObject(input) ? input : {};
  return isJsonObject(definition) && definition['keep'] === 'never';
}
