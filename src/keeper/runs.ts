/**
 * The runs of a workspace as the keeper sees them. It looks every two seconds, and a journal may have hundreds of megabytes: a run that has a
 * process is not read, and one without is read again only after it has changed.
 */
import fs from 'node:fs';
import { lastInput } from '../engine/last-input.ts';
import type { RunId } from '../model/ids.ts';
import { isJsonObject } from '../model/json.ts';
import { hasDueNotices } from '../operations/runs/due-notices.ts';
import { type ListedRun, lookAtRun } from '../operations/runs/list-runs.ts';
import { readRunById } from '../operations/runs/read-run.ts';
import { folderSource } from '../operations/runs/run-source.ts';
import type { RunSource } from '../operations/workers.ts';
import { type RunPaths, runPaths, runsFolder } from '../store/layout.ts';
import type { IdleRun } from './take-up.ts';

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

  look(): SeenRuns {
    let alive = 0;
    const idle = new Map<RunId, { readonly stamp: string; readonly run: IdleRun }>();
    // Resolved once: there may be thousands of runs.
    const folder = runsFolder(this.#workspace);
    const source = folderSource(this.#workspace);
    for (const runId of source.ids()) {
      const directory = `${folder}/${runId}`;
      const ended = stampOf(directory);
      if (this.#ended.get(runId) === ended) continue;
      if (hasProcess(source, runId)) {
        alive += 1;
        continue;
      }
      const stamp = `${ended} ${stampOf(source.pathsOf(runId).journal)}`;
      const known = this.#idle.get(runId);
      if (known?.stamp === stamp && !hasEnded(known.run)) {
        idle.set(runId, known);
        continue;
      }
      const run = lookAtRun(source, runId);
      if (run.isAlive) alive += 1;
      else if (run.type === 'damaged' || (hasEnded(run) && !mayNotify(run.paths)))
        this.#ended.set(runId, ended);
      else idle.set(runId, { stamp, run: idleRun(this.#workspace, run) });
    }
    this.#idle = idle;
    return { alive, idle: [...idle.values()].map(({ run }) => run) };
  }
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

function hasEnded({ state }: Pick<IdleRun, 'state'>): boolean {
  return state.status === 'completed' || state.status === 'cancelled' || state.status === 'failed';
}

function idleRun(workspace: string, { runId, paths, state }: Extract<ListedRun, { type: 'run' }>): IdleRun {
  let noted: Noted | undefined;
  const notes = (): Noted => {
    noted ??= readNotes(workspace, runId);
    return noted;
  };
  return {
    // The steps of a large run take tens of megabytes, and nothing here needs them.
    ...{ runId, paths, state: { ...state, steps: {}, for_each: {} } },
    hasDueNotices: () => hasDueNotices(paths),
    signal: () => notes().signal,
    isNeverKept: () => notes().isNeverKept,
  };
}

interface Noted {
  readonly signal: string | undefined;
  readonly isNeverKept: boolean;
}

/** What only its whole journal says. */
function readNotes(workspace: string, runId: RunId): Noted {
  const read = readRunById({ workspace }, runId);
  if (read.type === 'error') return { signal: undefined, isNeverKept: false };
  const { milestones } = read.value;
  const end = milestones.findLast(({ type }) => type === 'run-ended');
  const input = lastInput(milestones);
  // A workflow in code has no definition.
  const { definition = input } = isJsonObject(input) ? input : {};
  return {
    signal: end?.type === 'run-ended' ? end.signal : undefined,
    isNeverKept: isJsonObject(definition) && definition['keep'] === 'never',
  };
}
