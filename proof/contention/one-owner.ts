/** Many processes try to resume the same work: one does it. */
import { must, mustEqual, shortened } from '../must.ts';
import type { Ended } from '../program.ts';
import { readJournal } from '../site/journal.ts';
import { type ProgramCase, writeAgent } from '../site/programs.ts';
import { createSite, mustEnd, type Site, until } from '../site/site.ts';
import type { Point, Trial } from '../suite.ts';
import { startAtOnce } from './at-once.ts';

/** Works until it is released, and logs if another process is working too. */
const BODY = `
for other in $(cat "$HOME/work.log" 2>/dev/null); do
  grep -q '^State:.[^ZX]' "/proc/$other/status" 2>/dev/null && echo "$other $$" >> "$HOME/overlap.log"
done
echo $$ >> "$HOME/work.log"
begin
until [ -e "$HOME/go" ]; do sleep 0.05; done
finish`;

/** The command they all run, by program. */
const LOCKS = {
  ...{ workflow: '/lock', session: '/lock', phases: '/lock' },
  ...{ iterate: 'task/.lock', converse: '.lock' },
} as const;

export function oneOwner(
  program: ProgramCase,
  how: 'stopped' | 'killed' | 'killed-late',
  count: number,
): Point {
  return {
    id: `owner/${program.name}/${how}/${count}`,
    async check(trial) {
      const site = await begun(trial, program);
      const owner = site.start(program.start);
      await until(trial, 'the first process to work', () => site.lines('work.log').length === 1);
      const end = async (): Promise<void> => {
        process.kill(owner.pid, how === 'stopped' ? 'SIGTERM' : 'SIGKILL');
        await owner.ended;
      };
      // With `killed-late` they start while it is still alive.
      if (how !== 'killed-late') await end();
      const started = await startAtOnce(site, {
        ...{ count, lock: LOCKS[program.name], argv: () => program.resume },
        ...(how === 'killed-late' ? { beforeOpening: end } : {}),
      });
      const ended: Ended[] = [];
      for (const one of started) void one.ended.then((result) => ended.push(result));
      await until(trial, 'all but one to end', () => ended.length >= count - 1 || site.has('overlap.log'));
      mustBeAlone(site);
      for (const one of ended) mustSayWhoHasIt(one, program);
      site.write({ go: '' });
      await until(trial, 'the last one to end', () => ended.length === count);
      const last = ended.at(-1);
      if (last !== undefined) mustEnd(last, 0, program.resume);
      mustHaveWorkedOnce(site, 2);
      const resumed = site
        .runs()
        .flatMap((run) => readJournal(site.path('.orchestrate/runs', run, 'journal.jsonl')));
      mustEqual(resumed.filter(({ type }) => type === 'run-resumed').length, 1, 'resumptions in the journal');
      trial.count('processes that wanted the same run', count);
    },
  };
}

/** Some of the processes that compete to replace a dead owner are killed too, at any operation. */
export function heirsDie(program: ProgramCase, round: number, count: number): Point {
  return {
    id: `heirs-die/${program.name}/${round}`,
    async check(trial) {
      const site = await begun(trial, program);
      const owner = site.start(program.start);
      await until(trial, 'the first process to work', () => site.lines('work.log').length === 1);
      const started = await startAtOnce(site, {
        ...{ count, lock: LOCKS[program.name], argv: () => program.resume },
        dieAfter: () => (trial.random.next() < 0.7 ? trial.random.integer(1, 14) : undefined),
        async beforeOpening() {
          process.kill(owner.pid, 'SIGKILL');
          await owner.ended;
        },
      });
      site.write({ go: '' });
      const ended = await Promise.all(started.map((one) => one.ended));
      for (const one of ended) {
        if (one.signal === null && one.exitCode !== 0) mustSayWhoHasIt(one, program);
      }
      trial.count('heirs that died', ended.filter(({ signal }) => signal !== null).length);
      // Whatever the killed processes left, the next one continues or finds everything done.
      mustEnd(await site.run(program.resume), 0, program.resume);
      mustBeAlone(site);
      for (const run of site.runs()) readJournal(site.path('.orchestrate/runs', run, 'journal.jsonl'));
    },
  };
}

async function begun(trial: Trial, program: ProgramCase): Promise<Site> {
  const site = createSite(trial);
  await program.prepare(site);
  writeAgent(site, program, BODY);
  return site;
}

function mustSayWhoHasIt({ exitCode, signal, stdout, stderr }: Ended, program: ProgramCase): void {
  must(exitCode === program.heldCode && /\b(?:process|pid) \d+/i.test(stderr), () => ({
    expected: `exit code ${program.heldCode} and the process that has it`,
    found: `${signal ?? exitCode}: ${shortened(`${stdout}${stderr}`)}`,
  }));
}

function mustBeAlone(site: Site): void {
  must(!site.has('overlap.log'), () => ({
    expected: 'one process at a time',
    found: `two working: ${site.read('overlap.log')}`,
  }));
}

function mustHaveWorkedOnce(site: Site, times: number): void {
  mustBeAlone(site);
  mustEqual(site.lines('work.log').length, times, 'work.log: how often the work was started');
  if (site.has('before.log')) mustEqual(site.lines('before.log').length, 1, 'before.log');
}
