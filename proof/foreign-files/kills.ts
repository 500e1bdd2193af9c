/** Killed between any two disk operations: the user's files are still there, under their name or another. */
import fs from 'node:fs';
import path from 'node:path';
import { must, shortened } from '../must.ts';
import { createSite, type Site } from '../site/site.ts';
import type { Context, Point, Trial } from '../suite.ts';
import { lay, mustBeThere, type Stranger } from './strangers.ts';

const WORK = '.workflow/WFS-work';
const DONE = { id: 'IMPL-1', title: 'Done', status: 'completed', meta: {}, context: {}, flow_control: {} };

interface Play {
  readonly name: string;
  readonly argv: readonly string[];
  /** More operations than any command makes. */
  readonly operations: number;
  prepare(site: Site): Promise<readonly Stranger[]>;
}

const PLAYS: readonly Play[] = [
  {
    name: 'views',
    argv: ['views'],
    operations: 50,
    async prepare(site) {
      await site.ok(['session', 'start', 'Work']);
      site.write({ [`${WORK}/.task/IMPL-1.json`]: JSON.stringify({ ...DONE, summary: { approach: 'so' } }) });
      const names = ['IMPL_PLAN.md', 'TODO_LIST.md', '.summaries/IMPL-1-summary.md'];
      return names.map((name) => lay(site, `${WORK}/${name}`, 'file'));
    },
  },
  {
    name: 'repair',
    argv: ['repair'],
    operations: 50,
    async prepare(site) {
      await site.ok(['session', 'start', 'Work']);
      return [lay(site, `${WORK}/workflow-session.json`, 'file'), lay(site, `${WORK}/TODO_LIST.md`, 'link')];
    },
  },
  {
    name: 'phases',
    argv: ['phases', 'start'],
    operations: 30,
    async prepare(site) {
      await site.ok(['phases', 'create', 'Write', '--phase', 'First']);
      return [lay(site, '.claude/workflow_state_system.md', 'file')];
    },
  },
];

const WHEN = ['before', 'after'] as const;

export function killPoints({ scale, random }: Context): readonly Point[] {
  const all = PLAYS.flatMap((play) =>
    WHEN.flatMap((when) =>
      Array.from({ length: play.operations }, (_, index) => killPoint(play, when, index + 1)),
    ),
  );
  return scale === 'full'
    ? all
    : random.sample(
        all.filter(({ id }) => /\/(?:[5-9]|1\d)$/.test(id)),
        4,
      );
}

function killPoint(play: Play, when: (typeof WHEN)[number], number: number): Point {
  return {
    id: `kill/${play.name}/${when}/${number}`,
    async check(trial) {
      const site = createSite(trial);
      const strangers = await play.prepare(site);
      const killed = await site.run(play.argv, { env: killAt(trial, { when, number }) });
      if (killed.signal === null) trial.skip('it makes fewer operations');
      trial.count('kills');
      // Whether or not it was reported: a killed process cannot report.
      mustBeThere(site, strangers, everyName(site));
      const again = await site.run(play.argv);
      must(again.exitCode !== 70 && again.signal === null, () => ({
        expected: 'the command to succeed after the kill, or refuse with a message',
        found: shortened(`${again.signal ?? again.exitCode}: ${again.stderr}`),
      }));
      mustBeThere(site, strangers, everyName(site));
    },
  };
}

function killAt({ root }: Trial, order: object): Readonly<Record<string, string>> {
  const shim = path.join(root, 'proof', 'rig', 'kill-at.cjs');
  return { NODE_OPTIONS: `--require=${shim}`, KILL_AT: JSON.stringify(order) };
}

function everyName(site: Site): string {
  return fs.readdirSync(site.folder, { recursive: true, encoding: 'utf8' }).join('\n');
}
