/** A workflow whose parallel items each write a file of their own, and what must hold at its end. */
import { SAYS_STARTED } from '../cluster/team.ts';
import { mustBeRecordedOnce, type Work } from '../cluster/work.ts';
import { mustEqual } from '../must.ts';
import { type Machines, mustBePulled, mustHaveNoCalls } from './machines.ts';

export function itemsFile({ items, atOnce, seconds }: Work, outside: string): string {
  const says = SAYS_STARTED.replace('>> started', `>> ${outside}/started`);
  return `name: items
steps:
  - name: List
    command: [seq, '${items}']
    output_capture: lines
  - name: Each
    for_each:
      items_from: steps.List.lines
      as: item
      max_parallel: ${atOnce}
      steps:
        - name: Do
          command: [sh, -c, '${says}; sleep ${seconds}; cat mine.txt > item-$1.txt', sh, "\${item}"]
  - name: Last
    command: [sh, -c, '${says}; cat item-*.txt > all.txt', sh, last]
`;
}

/** Every item is recorded once, no file is lost, and the result can be pulled. */
export async function mustBeWhole(machines: Machines, runId: string, work: Work): Promise<void> {
  await mustBeRecordedOnce(machines.team, runId, work);
  const names = machines.files(runId).filter((name) => name.startsWith('item-'));
  mustEqual(names.length, work.items, 'files of items at the hub');
  mustEqual(machines.file(runId, 'all.txt'), 'changed\n'.repeat(work.items), 'what the last step saw');
  mustHaveNoCalls(machines, runId);
  await mustBePulled(machines, runId, work.items);
}
