/**
 * The runs of a workspace as the keeper sees them. It looks every two seconds, and a journal may have hundreds of megabytes: a run that has a
 * process is not read, and one without is read again only after it has changed.
 */
import fs from 'node:fs';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { RunId } from '../model/ids.ts';
import { isJsonObject, type JsonValue } from '../model/json.ts';
import type { RunState } from '../model/run-state.ts';
import { hasDueNotices } from '../operations/runs/due-notices.ts';
import { readState } from '../operations/runs/read-state.ts';
import { type RunHead, readRunHeadInSlices } from '../operations/runs/run-head.ts';
import { folderSource } from '../operations/runs/run-source.ts';
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

export class RunWatch {
  readonly #workspace: string;
  /** Ended runs, by what their folder looked like. */
  readonly #ended = new Map<RunId, string>();
  /** Others without a process, by what their folder and journal looked like. */
  #idle: ReadonlyMap<RunId, { readonly stamp: string; readonly run: IdleRun }> = new Map();

  constructor(workspace: string) {
    this.#workspace = workspace;
  }

  async look(): Promise<SeenRuns> {
    let alive = 0;
    const idle = new Map<RunId, { readonly stamp: string; readonly run: IdleRun }>();
    // Resolved once: there may be thousands of runs.
    const folder = runsFolder(this.#workspace);
    const source = folderSource(this.#workspace);
    let sliceEnds = performance.now() + SLICE_MS;
    for (const runId of source.ids()) {
      if (performance.now() > sliceEnds) {
        await nextTurn();
        sliceEnds = performance.now() + SLICE_MS;
      }
      const directory = `${folder}/${runId}`;
      const ended = stampOf(directory);
      if (this.#ended.get(runId) === ended) continue;
      if (hasProcess(source, runId)) {
        alive += 1;
        continue;
      }
      const paths = source.pathsOf(runId);
      const stamp = `${ended} ${stampOf(paths.journal)}`;
      const known = this.#idle.get(runId);
      if (known?.stamp === stamp && !hasEnded(known.run.state)) {
        idle.set(runId, known);
        continue;
      }
      const run = isOver(runId, paths) ? undefined : await this.#read(runId);
      // Reading a large journal takes seconds.
      if (hasProcess(source, runId)) alive += 1;
      else if (run === undefined || (hasEnded(run.state) && !mayNotify(paths))) this.#ended.set(runId, ended);
      else idle.set(runId, { stamp, run: idleRun(run) });
    }
    this.#idle = idle;
    return { alive, idle: [...idle.values()].map(({ run }) => run) };
  }

  /** Undefined if nothing can be known of it. */
  async #read(runId: RunId): Promise<RunHead | undefined> {
    const read = await readRunHeadInSlices({ workspace: this.#workspace }, runId);
    return read.type === 'ok' ? read.value : undefined;
  }
}

/** Its view says so, if that is quicker to read than the journal. */
function isOver(runId: RunId, paths: RunPaths): boolean {
  const size = fs.statSync(paths.state, { throwIfNoEntry: false })?.size ?? 0;
  if (size === 0 || size > LARGE_VIEW_BYTES || mayNotify(paths)) return false;
  const viewed = readState(paths, runId);
  return viewed !== undefined && hasEnded(viewed);
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
