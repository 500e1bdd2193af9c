/** Ownership of a run, by what can be known about the owner. */
import { must, shortened } from '../must.ts';
import type { Ended } from '../program.ts';
import { type Elsewhere, elsewhere, isLocalDisk, whyNotElsewhere } from '../rig/elsewhere.ts';
import { readJournal } from '../site/journal.ts';
import { type ProgramCase, programCase, programCases, writeAgent } from '../site/programs.ts';
import { createSite, mustEnd, type Site, until } from '../site/site.ts';
import type { Point } from '../suite.ts';

const BODY = `echo call >> "$HOME/calls"
begin
until [ -e "$HOME/go" ]; do sleep 0.05; done
finish`;

/** What the second process sees, compared with the first. */
interface Meeting {
  readonly program: ProgramCase;
  readonly isAlive: boolean;
  readonly ownerSees: boolean;
  readonly secondSees: boolean;
  readonly host: 'same' | 'other';
  readonly boot: 'same' | 'other';
  readonly machine: 'same' | 'other' | 'none';
  readonly pids: 'same' | 'other';
}

export function* ownerPoints(): Generator<Point> {
  const programs = programCases();
  let number = 0;
  for (const isAlive of [true, false])
    for (const [ownerSees, secondSees] of SIGHTS)
      for (const host of ['same', 'other'] as const)
        for (const boot of ['same', 'other'] as const)
          for (const machine of ['same', 'other', 'none'] as const)
            for (const pids of ['same', 'other'] as const) {
              const program = ownerSees ? programs[number % programs.length] : COMMANDS;
              number += 1;
              if (program !== undefined)
                yield ownerPoint({ program, isAlive, ownerSees, secondSees, host, boot, machine, pids });
            }
}

/** A command, not an agent: agents cannot run without `/proc`. It keeps no file of its own in the folder of the run. */
export const COMMANDS: ProgramCase = {
  ...programCase('workflow'),
  async prepare(site) {
    const wait = 'echo call >> calls; until [ -e go ]; do sleep 0.05; done';
    const steps = [{ name: 'Wait', command: ['sh', '-c', wait] }];
    site.write({ 'work.yaml': JSON.stringify({ name: 'work', steps }) });
  },
};

/** Whether the owner, and the second process, can read `/proc`. */
const SIGHTS = [
  [true, true],
  [true, false],
  [false, true],
] as const;

function ownerPoint(meeting: Meeting): Point {
  const { program, isAlive, ownerSees, secondSees, host, boot, machine, pids } = meeting;
  const life = isAlive ? 'alive' : 'dead';
  const sight = ownerSees ? (secondSees ? 'seen' : 'second-blind') : 'owner-blind';
  return {
    id: `owner/${life}/${sight}/host-${host}/boot-${boot}/machine-${machine}/pids-${pids}/${program.name}`,
    async check(trial) {
      const why = whyNotElsewhere();
      if (why !== undefined) trial.skip(why);
      const site = createSite(trial);
      const scratch = trial.folder();
      await program.prepare(site);
      writeAgent(site, program, BODY);
      const first = site.start(
        program.start,
        ownerSees ? {} : { via: elsewhere(scratch, { emptyProc: true }) },
      );
      await until(trial, 'the agent to work', () => site.has('calls'));
      if (!isAlive) {
        process.kill(first.pid, 'SIGKILL');
        await first.ended;
        site.write({ go: '' });
      }
      const ended = await site.run(program.resume, { via: elsewhere(scratch, placeOf(meeting)) });
      if (isCertain(meeting, site)) {
        mustEnd(ended, 0, program.resume);
        trial.count('dead owners that were taken over');
      } else {
        mustBeRefused(ended, meeting);
        mustHaveWorked(site, 1);
        trial.count('owners that counted as alive');
      }
      if (isAlive) {
        site.write({ go: '' });
        mustEnd(await first.ended, 0, program.start);
        mustHaveWorked(site, 1);
      }
      // Two owners would have written to it at the same time.
      for (const run of site.runs()) readJournal(site.path('.orchestrate/runs', run, 'journal.jsonl'));
    },
  };
}

function placeOf({ secondSees, host, boot, machine, pids }: Meeting): Elsewhere {
  return {
    ...(secondSees ? {} : { emptyProc: true }),
    ...(host === 'same' ? {} : { host: 'another-name' }),
    ...(boot === 'same' ? {} : { bootId: '00000000-0000-4000-8000-000000000000' }),
    ...(machine === 'same' ? {} : { machineId: machine === 'none' ? '' : 'f'.repeat(32) }),
    ...(pids === 'same' ? {} : { ownPids: true }),
  };
}

/** Whether the second process can know that the first is dead, as docs/resume.md says. */
function isCertain(meeting: Meeting, site: Site): boolean {
  const { isAlive, ownerSees, secondSees, boot, machine, pids } = meeting;
  if (isAlive || !ownerSees || !secondSees || pids === 'other') return false;
  return boot === 'same' || (machine === 'same' && isLocalDisk(site.folder));
}

function mustBeRefused({ exitCode, signal, stdout, stderr }: Ended, { program }: Meeting): void {
  must(exitCode === program.heldCode && /\bprocess \d+/.test(stderr), () => ({
    expected: `exit code ${program.heldCode} and the process that has it`,
    found: `${signal ?? exitCode}: ${shortened(`${stdout}${stderr}`)}`,
  }));
}

function mustHaveWorked(site: Site, times: number): void {
  const { length } = site.lines('calls');
  must(length === times, () => ({ expected: `the agent called ${times} times`, found: `${length} times` }));
}
