/** The runs of a workspace as the keeper sees them. What has ended is not read again. */
import fs from 'node:fs';
import { lastInput } from '../engine/last-input.ts';
import type { RunId } from '../model/ids.ts';
import { isJsonObject } from '../model/json.ts';
import { hasDueNotices } from '../operations/runs/due-notices.ts';
import { type ListedRun, lookAtRun } from '../operations/runs/list-runs.ts';
import { readRunById } from '../operations/runs/read-run.ts';
import { folderSource } from '../operations/runs/run-source.ts';
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

  constructor(workspace: string) {
    this.#workspace = workspace;
  }

  look(): SeenRuns {
    let alive = 0;
    const idle: IdleRun[] = [];
    // Resolved once: there may be thousands of runs.
    const folder = runsFolder(this.#workspace);
    const source = folderSource(this.#workspace);
    for (const runId of source.ids()) {
      const stamp = stampOf(`${folder}/${runId}`);
      if (this.#ended.get(runId) === stamp) continue;
      const run = lookAtRun(source, runId);
      if (run.isAlive) alive += 1;
      else if (run.type === 'damaged' || (hasEnded(run) && !mayNotify(run.paths)))
        this.#ended.set(runId, stamp);
      else idle.push(idleRun(this.#workspace, run));
    }
    return { alive, idle };
  }
}

/** A run that is resumed gets a lock, which changes its folder. */
function stampOf(directory: string): string {
  const folder = fs.lstatSync(directory, { throwIfNoEntry: false });
  return `${folder?.ino} ${folder?.mtimeMs}`;
}

/** Its process may be sending them, and be killed meanwhile. */
function mayNotify(paths: RunPaths): boolean {
  return fs.existsSync(paths.noticesLock) || hasDueNotices(paths);
}

function hasEnded({ state }: Extract<ListedRun, { type: 'run' }>): boolean {
  return state.status === 'completed' || state.status === 'cancelled' || state.status === 'failed';
}

function idleRun(workspace: string, { runId, paths, state }: Extract<ListedRun, { type: 'run' }>): IdleRun {
  return {
    ...{ runId, paths, state },
    hasDueNotices: () => hasDueNotices(paths),
    signal() {
      const read = readRunById({ workspace }, runId);
      const end =
        read.type === 'ok' ? read.value.milestones.findLast(({ type }) => type === 'run-ended') : undefined;
      return end?.type === 'run-ended' ? end.signal : undefined;
    },
  };
}

/** Whether the workflow says that its runs are not taken up. */
export function isNeverKept(workspace: string, runId: RunId): boolean {
  const read = readRunById({ workspace }, runId);
  if (read.type === 'error') return false;
  const input = lastInput(read.value.milestones);
  if (!isJsonObject(input)) return false;
  // A workflow in code has no definition.
  const { definition = input } = input;
  return isJsonObject(definition) && definition['keep'] === 'never';
}
