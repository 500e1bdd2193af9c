/** A worker of another version lives beside the others: a run stays with the version that started it. */
import fs from 'node:fs';
import path from 'node:path';
import { withDatabase } from '../cluster/database.ts';
import { pause } from '../cluster/team.ts';
import type { Work } from '../cluster/work.ts';
import { must, mustEqual } from '../must.ts';
import type { Point, Trial } from '../suite.ts';
import { machinesWithHub } from './work.ts';

const WORK: Work = { items: 8, atOnce: 2, seconds: 1 };
const OTHER_VERSION = '99.0.0';

export function* versionPoints(): Generator<Point> {
  yield { id: 'versions', check: (trial) => withDatabase(trial, (url) => skewed(trial, url)) };
}

async function skewed(trial: Trial, url: string): Promise<void> {
  const stage = machinesWithHub(trial, url, WORK);
  const { machines, team } = stage;
  const other = await machines.worker('all', { ...trial, root: otherVersion(trial) });
  const first = await machines.worker('all');
  const runId = await team.begin(stage.file);
  await team.until('the first step', async () => team.started.length > 0);
  await team.kill(first);
  await pause(team.deadAfterSec * 3000);
  mustEqual(
    team.started.filter(({ worker }) => worker === other.name),
    [],
    'steps that a worker of another version has started',
  );
  const doctor = await team.site.run(['doctor']);
  const text = `${doctor.stdout}${doctor.stderr}`;
  must(new RegExp(`run ${runId}.*version`).test(text), () => ({
    expected: `that \`doctor\` names run ${runId}, which no worker can take`,
    found: text,
  }));
  await machines.worker('all');
  await stage.mustBeDone(runId);
  mustEqual(
    team.started.filter(({ worker }) => worker === other.name),
    [],
    'steps that a worker of another version has started',
  );
  team.mustLive([other]);
  trial.count('workers of another version that took nothing');
}

/** The program under test with another version in its `package.json`. */
function otherVersion({ root, folder }: Trial): string {
  const copy = path.join(folder(), 'program');
  for (const name of ['bin', 'dist'])
    fs.cpSync(path.join(root, name), path.join(copy, name), { recursive: true });
  const manifest = JSON.parse(fs.readFileSync(path.join(root, 'package.json'), 'utf8'));
  fs.writeFileSync(path.join(copy, 'package.json'), JSON.stringify({ ...manifest, version: OTHER_VERSION }));
  fs.symlinkSync(path.join(root, 'node_modules'), path.join(copy, 'node_modules'));
  return copy;
}
