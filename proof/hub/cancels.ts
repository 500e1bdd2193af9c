/** A run is cancelled at a random moment: every process of its steps has ended before its `finally` starts, and they leave no files. */
import { withDatabase } from '../cluster/database.ts';
import { pause } from '../cluster/team.ts';
import { must, mustEqual } from '../must.ts';
import type { Point, Trial } from '../suite.ts';
import { createMachines, mustHaveNoCalls } from './machines.ts';

const LATEST_MS = 4000;
/** Steps of two kinds: one ends when it is asked to, one only when it is killed, with a child of its own. */
const STEPS = 6;

export function* cancelPoints(count: number): Generator<Point> {
  for (let nth = 1; nth <= count; nth += 1)
    yield { id: `cancels/${nth}`, check: (trial) => withDatabase(trial, (url) => cancelling(trial, url)) };
}

const HELD = `name: held
steps:
  - name: Each
    for_each:
      items: [${Array.from({ length: STEPS }, (_, index) => index).join(', ')}]
      as: item
      max_parallel: ${STEPS}
      steps:
        - name: Do
          command: [sh, hold.sh, "\${item}"]
finally:
  - name: Look
    command: [sh, look.sh]
`;

const HOLD = (outside: string): string => `echo $$ >> ${outside}/pids
echo x > left-$1.txt
if [ $(($1 % 2)) = 0 ]; then exec sleep 600; fi
trap '' TERM INT
sleep 600 & echo $! >> ${outside}/pids
while :; do wait; done
`;

const LOOK = (outside: string): string => `for pid in $(cat ${outside}/pids 2> ${outside}/none); do
  if grep -q '^State:[[:space:]]*[^ZX[:space:]]' /proc/$pid/status 2> ${outside}/none; then echo $pid >> ${outside}/alive; fi
done
echo x >> ${outside}/looked
ls > ${outside}/seen
`;

async function cancelling(trial: Trial, url: string): Promise<void> {
  const machines = createMachines(trial, url, (outside) => ({
    'held.yaml': HELD,
    'hold.sh': HOLD(outside),
    'look.sh': LOOK(outside),
  }));
  const { team, outside } = machines;
  for (let n = 0; n < 2; n += 1) await machines.worker();
  const runId = await team.begin('held.yaml');
  await team.until('the first step', async () => outside.has('pids'));
  await pause(trial.random.integer(0, LATEST_MS));
  await team.site.ok(['cancel', runId]);
  mustEqual(await team.end(runId), 'cancelled', 'status of the run');
  mustEqual(outside.lines('looked').length, 1, 'times that `finally` ran');
  must(!outside.has('alive'), () => ({
    expected: 'no process of a cancelled step when `finally` starts',
    found: `the processes ${outside.lines('alive').join(', ')}`,
  }));
  const left = [...outside.lines('seen'), ...machines.files(runId)].filter((name) => /^left-/.test(name));
  mustEqual(left, [], 'files of cancelled steps');
  mustHaveNoCalls(machines, runId);
  trial.count('processes of steps that were cancelled', outside.lines('pids').length);
}
