/** Every way in which work ends, and what must be true then. */
import path from 'node:path';
import { must, shortened } from '../must.ts';
import type { Ended } from '../program.ts';
import { type ProgramCase, programCase, writeAgent } from '../site/programs.ts';
import { createSite, mustEnd, type Site, until } from '../site/site.ts';
import type { Point, Trial } from '../suite.ts';
import {
  BREEDING,
  DESCENDANTS,
  endless,
  leaving,
  leavingDaemons,
  type Manner,
  STANDSTILL,
} from './behaviours.ts';
import { mustLeaveNothing } from './nothing-left.ts';

export const ENDS = [
  ...(['done', 'failed', 'timed-out', 'idle', 'ctrl-c', 'ctrl-c-twice', 'sigterm', 'sighup'] as const),
  ...(['cancel', 'kill-resume', 'kill-cancel'] as const),
] as const;
export type End = (typeof ENDS)[number];

/** Ends in which the agent exits on its own. */
const BY_ITSELF: Partial<Record<End, string>> = { done: 'begin; finish', failed: 'exit 7' };

export type Body = Manner | 'breeding' | 'standstill' | 'daemons' | 'without-proc';

export function endPoint(name: ProgramCase['name'], end: End, body: Body): Point {
  return {
    id: `end/${name}/${end}/${body}`,
    async check(trial) {
      const limits = {
        ...(end === 'timed-out' ? { timeoutSec: 2, iterations: 1 } : {}),
        ...(end === 'idle' ? { idleTimeoutSec: 2 } : {}),
      };
      const program = programCase(name, limits);
      const site = createSite(trial, body === 'without-proc' ? withoutProc(trial) : {});
      await program.prepare(site);
      writeAgent(site, program, bodyFor(end, body));
      await tryEnd(site, program, end);
      await mustLeaveNothing(site);
      trial.count('ends after which no process was left');
    },
  };
}

/** A system that finds processes only with `ps`, such as macOS. */
function withoutProc({ root }: Trial): { readonly NODE_OPTIONS: string } {
  return { NODE_OPTIONS: `--require=${path.join(root, 'proof', 'rig', 'without-proc.cjs')}` };
}

function bodyFor(end: End, body: Body): string {
  if (body === 'breeding') return BREEDING;
  if (body === 'standstill') return STANDSTILL;
  if (body === 'daemons') return leavingDaemons(BY_ITSELF[end]);
  if (body === 'without-proc') return DESCENDANTS;
  const itself = BY_ITSELF[end];
  return itself === undefined ? endless(body) : leaving(body, itself);
}

/** A second signal may arrive when Node is already exiting and handles no signals; a shell also reports that as 130. */
function asShell(ended: Ended): Ended {
  return ended.signal === 'SIGINT' ? { ...ended, exitCode: 130, signal: null } : ended;
}

/** The expected result of the command at each end. */
export async function tryEnd(
  site: Site,
  program: Pick<ProgramCase, 'start' | 'resume' | 'name'>,
  end: End,
): Promise<void> {
  const { trial } = site;
  const started = site.start(program.start);
  const signal = (name: NodeJS.Signals): void => {
    process.kill(started.pid, name);
  };
  let early: Ended | undefined;
  void started.ended.then((ended) => (early = ended));
  await until(trial, 'its processes to run', () => site.has('ready') || early !== undefined);
  must(site.has('ready'), () => ({
    expected: 'running work',
    found: shortened(`${early?.exitCode} ${early?.stderr}`),
  }));
  switch (end) {
    case 'done':
      return mustEnd(await started.ended, 0, program.start);
    case 'failed':
    case 'idle':
      return mustEnd(await started.ended, 1, program.start);
    case 'timed-out':
      // In a loop, a time limit ends only the iteration, and this agent has changed files: the loop ends at its maximum.
      return mustEnd(await started.ended, program.name === 'iterate' ? 0 : 1, program.start);
    case 'ctrl-c':
      signal('SIGINT');
      return mustEnd(await started.ended, 130, program.start);
    case 'ctrl-c-twice':
      signal('SIGINT');
      await new Promise((resolve) => setTimeout(resolve, 200));
      if (early === undefined) signal('SIGINT');
      return mustEnd(asShell(await started.ended), 130, program.start);
    case 'sigterm':
      signal('SIGTERM');
      return mustEnd(await started.ended, 143, program.start);
    case 'sighup':
      signal('SIGHUP');
      return mustEnd(await started.ended, 129, program.start);
    case 'cancel':
      await site.ok(['cancel', 'last']);
      return mustEnd(await started.ended, 1, program.start);
    case 'kill-resume':
      signal('SIGKILL');
      await started.ended;
      site.write({
        '.bin/claude': site
          .read('.bin/claude')
          .replace('cat > /dev/null\n', 'cat > /dev/null; begin; finish; exit 0\n'),
      });
      return mustEnd(await site.run(program.resume), 0, program.resume);
    case 'kill-cancel':
      signal('SIGKILL');
      await started.ended;
      await site.ok(['cancel', 'last']);
  }
}
