/** Endless output: the program's memory does not grow with it, and it is stored on disk once. */
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import { must, mustEqual } from '../must.ts';
import type { Started } from '../program.ts';
import { type ProgramCase, programCase, writeAgent } from '../site/programs.ts';
import { createSite, mustEnd, type Site } from '../site/site.ts';
import type { Point } from '../suite.ts';
import { mustLeaveNothing } from './nothing-left.ts';

const MB = 1_000_000;
/** An idle Node program takes 45 MB; a line of an agent may take 64 MiB. */
const MOST_MEMORY_MB = 350;
/** Space left free on the disk. */
const SPARE_MB = 2_000;

interface Flood {
  readonly name: string;
  /** Prepares the site and returns what to start; `print` is a shell command that prints the flood. */
  prepare(site: Site, print: string): Promise<readonly string[]>;
  readonly exitCode: number;
  /** How many copies of the flood may be on disk. */
  readonly copies: number;
  /** Prints no newlines. */
  readonly isOneLine?: boolean;
}

const workflowOf = (step: object): Flood['prepare'] => {
  return async (site, print) => {
    const steps = [{ name: 'Flood', command: ['sh', '-c', print], ...step }];
    site.write({ 'flood.yaml': JSON.stringify({ name: 'flood', steps }) });
    return ['run', 'flood.yaml', '--quiet'];
  };
};

const agentOf = (name: ProgramCase['name']): Flood['prepare'] => {
  return async (site, print) => {
    const program = programCase(name);
    await program.prepare(site);
    writeAgent(site, program, `begin; ${print}; echo; finish`);
    return program.start;
  };
};

export const FLOODS: readonly Flood[] = [
  { name: 'command', prepare: workflowOf({}), exitCode: 0, copies: 1 },
  {
    name: 'command-one-line',
    prepare: workflowOf({ output_capture: 'lines' }),
    exitCode: 0,
    copies: 1,
    isOneLine: true,
  },
  { name: 'command-lines', prepare: workflowOf({ output_capture: 'lines' }), exitCode: 0, copies: 1 },
  { name: 'command-json', prepare: workflowOf({ output_capture: 'json' }), exitCode: 1, copies: 1 },
  { name: 'command-secret', prepare: workflowOf({ secrets: ['API_TOKEN'] }), exitCode: 0, copies: 1 },
  { name: 'command-file', prepare: workflowOf({ output_file: 'flood.txt' }), exitCode: 0, copies: 2 },
  { name: 'agent-workflow', prepare: agentOf('workflow'), exitCode: 0, copies: 1 },
  { name: 'agent-one-line', prepare: agentOf('workflow'), exitCode: 0, copies: 1, isOneLine: true },
  { name: 'agent-iterate', prepare: agentOf('iterate'), exitCode: 0, copies: 2 },
  { name: 'agent-session', prepare: agentOf('session'), exitCode: 0, copies: 1 },
  { name: 'agent-converse', prepare: agentOf('converse'), exitCode: 0, copies: 1 },
  { name: 'agent-phases', prepare: agentOf('phases'), exitCode: 0, copies: 1 },
];

export function floodPoint(flood: Flood, megabytes: number): Point {
  return {
    id: `flood/${flood.name}/${megabytes}MB`,
    async check(trial) {
      const { bavail, bsize } = fs.statfsSync(trial.folder());
      const needed = flood.copies * megabytes * 1.1 * MB;
      if (bavail * bsize < needed + SPARE_MB * MB) trial.skip('not enough disk space');
      const site = createSite(trial, { API_TOKEN: 'tok-0123456789abcdef' });
      const line = flood.isOneLine === true ? "tr '\\n' ' ' |" : '';
      const print = `yes 'some text that a program prints, 48 bytes a line' | ${line} head -c ${megabytes * MB}`;
      const argv = await flood.prepare(site, print);
      const started = site.start(argv);
      const peakMb = await peakMemoryMb(started);
      mustEnd(await started.ended, flood.exitCode, argv);
      must(peakMb < MOST_MEMORY_MB, () => ({
        expected: `less than ${MOST_MEMORY_MB} MB of memory`,
        found: `${peakMb} MB`,
      }));
      mustLieOnce(site, flood, megabytes);
      await mustLeaveNothing(site);
      trial.count('megabytes printed', megabytes);
    },
  };
}

/** Peak memory of the largest process: the program, or a Node process it started. */
async function peakMemoryMb(started: Started): Promise<number> {
  let peak = 0;
  let isDone = false;
  void started.ended.finally(() => (isDone = true));
  while (!isDone) {
    for (const pid of [started.pid, ...childrenOf(started.pid)]) peak = Math.max(peak, highWaterMb(pid));
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return peak;
}

function highWaterMb(pid: number): number {
  try {
    const found = /^VmHWM:\s+(\d+) kB/m.exec(fs.readFileSync(`/proc/${pid}/status`, 'utf8'));
    return Math.round(Number(found?.[1] ?? 0) / 1000);
  } catch {
    return 0;
  }
}

function childrenOf(pid: number): readonly number[] {
  try {
    const text = fs.readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim();
    return text === '' ? [] : text.split(' ').map(Number);
  } catch {
    return [];
  }
}

function mustLieOnce(site: Site, { copies }: Flood, megabytes: number): void {
  const used = Number(execFileSync('du', ['-sk', site.folder], { encoding: 'utf8' }).split('\t')[0]) / 1000;
  const most = copies * megabytes * 1.1 + 30;
  must(used < most, () => ({
    expected: `at most ${Math.round(most)} MB on the disk`,
    found: `${Math.round(used)} MB`,
  }));
  const logs = site
    .runs()
    .flatMap((run) =>
      site.list(`.orchestrate/runs/${run}/logs`).map((name) => `.orchestrate/runs/${run}/logs/${name}`),
    );
  const largest = Math.max(...logs.map((name) => fs.statSync(site.path(name)).size));
  mustEqual(largest >= megabytes * MB, true, 'whether the log contains everything that was printed');
}
