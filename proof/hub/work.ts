/** A workflow whose parallel items each write a file of their own, and what must hold at its end. */
import type { Stage } from '../cluster/stage.ts';
import { mustBeRecordedOnce, type Work, workFile } from '../cluster/work.ts';
import { mustEqual } from '../must.ts';
import type { Trial } from '../suite.ts';
import { createMachines, type Machines, mustBePulled, mustHaveNoCalls } from './machines.ts';

export interface WorkingMachines extends Stage {
  readonly machines: Machines;
}

export function machinesWithHub(trial: Trial, url: string, work: Work): WorkingMachines {
  const file = 'items.yaml';
  const machines = createMachines(trial, url, (outside) => ({ [file]: itemsFile(work, outside) }));
  const { team } = machines;
  return {
    ...{ machines, team, file, work },
    worker: (does) => machines.worker(does),
    mustBeDone: (runId) => mustBeWhole(machines, runId, work),
    recorded: async (runId) => [await team.events(runId), machines.refs()],
  };
}

function itemsFile(work: Work, outside: string): string {
  return workFile(work, { outside, item: 'cat mine.txt > item-$1.txt', last: 'cat item-*.txt > all.txt' });
}

/** Every item is recorded once, no file is lost, and the result can be pulled. */
async function mustBeWhole(machines: Machines, runId: string, work: Work): Promise<void> {
  await mustBeRecordedOnce(machines.team, runId, work);
  const names = machines.files(runId).filter((name) => name.startsWith('item-'));
  mustEqual(names.length, work.items, 'files of items at the hub');
  mustEqual(machines.file(runId, 'all.txt'), 'changed\n'.repeat(work.items), 'what the last step saw');
  mustHaveNoCalls(machines, runId);
  await mustBePulled(machines, runId, work.items);
}
