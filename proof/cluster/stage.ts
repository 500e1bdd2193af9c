/** Where a run is carried out by workers that can be killed, stopped and replaced: in one folder here, on machines with a hub in the suite `hub`. */
import type { Trial } from '../suite.ts';
import { Team, type TeamWorker } from './team.ts';
import { mustBeDoneOnce, type Work, workFile } from './work.ts';

export interface Stage {
  readonly team: Team;
  /** The workflow that does the work. */
  readonly file: string;
  readonly work: Work;
  worker(does: 'all' | 'hosts' | 'calls'): Promise<TeamWorker>;
  /** What must hold when the run has ended. */
  mustBeDone(runId: string): Promise<void>;
  /** What a worker that was given up must leave as it is. */
  recorded(runId: string): Promise<unknown>;
}

export function sharedFolder(trial: Trial, url: string, work: Work): Stage {
  const file = 'work.yaml';
  const team = new Team(trial, { url, files: { [file]: workFile(work) } });
  return {
    ...{ team, file, work },
    worker: (does) => team.worker(does),
    mustBeDone: (runId) => mustBeDoneOnce(team, runId, work),
    recorded: (runId) => team.events(runId),
  };
}
