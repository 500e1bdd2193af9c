/** A start is killed while creating the folder of its run. */
import path from 'node:path';
import { must, shortened } from '../must.ts';
import { readJournal } from '../site/journal.ts';
import { type ProgramCase, programCases, writeAgent } from '../site/programs.ts';
import { createSite, mustEnd, type Site } from '../site/site.ts';
import type { Point } from '../suite.ts';

/** Disk operations from the first trace of a run to its first record, in the form of `kill-at.cjs`. */
const MOMENTS = [
  { when: 'before', kind: 'mkdir', file: '/logs' },
  { when: 'after', kind: 'mkdir', file: '/logs' },
  { when: 'before', kind: 'create', file: '/journal.jsonl' },
  { when: 'after', kind: 'create', file: '/journal.jsonl' },
  { when: 'torn', kind: 'write', file: '/journal.jsonl' },
  { when: 'after', kind: 'write', file: '/journal.jsonl' },
  { when: 'before', kind: 'sync', file: '/journal.jsonl' },
  { when: 'after', kind: 'sync', file: '/journal.jsonl' },
  { when: 'before', kind: 'sync', file: '/.orchestrate/runs' },
  { when: 'after', kind: 'sync', file: '/.orchestrate/runs' },
] as const;

export function* windowPoints(): Generator<Point> {
  for (const program of programCases())
    for (const [index, moment] of MOMENTS.entries()) {
      const { when, kind, file } = moment;
      yield windowPoint(program, `${index}-${when}-${kind}-${path.basename(file)}`, moment);
    }
}

function windowPoint(program: ProgramCase, name: string, moment: (typeof MOMENTS)[number]): Point {
  return {
    id: `window/${program.name}/${name}`,
    async check(trial) {
      const site = createSite(trial);
      await program.prepare(site);
      writeAgent(site, program, 'begin\nfinish');
      const shim = path.join(trial.root, 'proof', 'rig', 'kill-at.cjs');
      const killed = await site.run(program.start, {
        env: { NODE_OPTIONS: `--require=${shim}`, KILL_AT: JSON.stringify({ ...moment, number: 1 }) },
      });
      must(killed.signal === 'SIGKILL', () => ({
        expected: 'a kill during the start',
        found: `${killed.exitCode}: ${shortened(killed.stderr)}`,
      }));
      await mustBeReadable(site);
      await resumeWork(site, program);
      await mustBeReadable(site);
      const left = site.list('.orchestrate/runs').filter((other) => other.startsWith('.'));
      must(left.length === 0, () => ({ expected: 'nothing left of it', found: left.join(', ') }));
      trial.count('killed starts');
    },
  };
}

/** Every visible run is readable. */
async function mustBeReadable(site: Site): Promise<void> {
  for (const run of site.runs()) {
    const [first] = readJournal(site.path('.orchestrate/runs', run, 'journal.jsonl'));
    must(first?.type === 'run-started', () => ({
      expected: 'a journal that starts with `run-started`',
      found: JSON.stringify(first),
      where: run,
    }));
  }
  const { stdout } = await site.ok(['runs', '--json']);
  must(!stdout.includes('"damaged"'), () => ({ expected: 'no damaged run', found: shortened(stdout) }));
}

/** As a user does: resumes it, or starts it again if there is nothing to resume. */
async function resumeWork(site: Site, program: ProgramCase): Promise<void> {
  const resumed = await site.run(program.resume);
  if (resumed.exitCode !== 0) mustEnd(await site.run(program.start), 0, program.start);
}
