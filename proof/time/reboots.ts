/** The machine was rebooted: pids belong to other processes now. */
import { type ChildProcess, spawn } from 'node:child_process';
import fs from 'node:fs';
import zlib from 'node:zlib';
import { must } from '../must.ts';
import { isLocalDisk } from '../rig/elsewhere.ts';
import { type ProgramCase, programCase, writeAgent } from '../site/programs.ts';
import { createSite, killThoseIn, mustEnd, type Site, until } from '../site/site.ts';
import type { Point } from '../suite.ts';

interface Lock {
  readonly pid: number;
  readonly startTime: string;
  readonly bootId: string;
}

const BODY = `echo call >> "$HOME/calls"
begin
[ -e "$HOME/go" ] || { : > "$HOME/ready"; while :; do sleep 0.05; done; }
finish`;

const OTHER_BOOT = '00000000-0000-4000-8000-000000000000';

/** Which of the owner's marks another process now has. */
const CASES = {
  'other-boot': { bootId: OTHER_BOOT, startTime: '1', exitCode: 0 },
  'other-start': { startTime: '1', exitCode: 0 },
  // Not rebooted: another machine, which may still be running it.
  'other-machine': { bootId: OTHER_BOOT, startTime: '1', machineId: '0'.repeat(16), exitCode: undefined },
  // All of them: then it cannot be distinguished from the owner.
  same: { exitCode: undefined },
} as const;

export function rebootPoint(name: ProgramCase['name'], how: keyof typeof CASES): Point {
  return {
    id: `reboot/${name}/${how}`,
    async check(trial) {
      const program = programCase(name);
      const site = createSite(trial);
      if (how === 'other-boot' && !isLocalDisk(site.folder))
        trial.skip('a reboot cannot be distinguished from another machine on a disk that can be shared');
      await program.prepare(site);
      writeAgent(site, program, BODY);
      const started = site.start(program.start);
      await until(trial, 'the agent to work', () => site.has('ready'));
      process.kill(started.pid, 'SIGKILL');
      await started.ended;
      site.write({ go: '' });
      const innocent = spawn('sleep', ['1000'], { cwd: '/', env: {}, stdio: 'ignore' });
      try {
        takeOnItsNumbers(site, innocent, how);
        const { exitCode = program.heldCode } = CASES[how];
        mustEnd(await site.run(program.resume), exitCode, program.resume);
        must(innocent.exitCode === null && innocent.signalCode === null, () => ({
          expected: 'an unrelated process to keep running',
          found: `stopped by ${innocent.signalCode}`,
        }));
      } finally {
        innocent.kill('SIGKILL');
        killThoseIn(site.folder);
      }
    },
  };
}

/** Every lock and the journal contain the pid of an unrelated process. */
function takeOnItsNumbers(site: Site, innocent: ChildProcess, how: keyof typeof CASES): void {
  const pid = innocent.pid ?? 0;
  const stat = fs.readFileSync(`/proc/${pid}/stat`, 'latin1');
  const startTime = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? '';
  const { exitCode: _, ...marks } = CASES[how];
  for (const name of locksIn(site)) {
    const lock = JSON.parse(site.read(name)) as Lock;
    fs.writeFileSync(site.path(name), `${JSON.stringify({ ...lock, pid, startTime, ...marks })}\n`);
    // Without a machine id, the last sign of life must be older than this boot.
    if (how === 'other-boot') fs.utimesSync(site.path(name), 0, 0);
  }
  for (const run of site.runs()) {
    const name = `.orchestrate/runs/${run}/journal.jsonl`;
    const lines = site
      .lines(name)
      .map((line) => (line.includes('"type":"process-started"') ? withPid(line, pid) : line));
    fs.writeFileSync(site.path(name), `${lines.join('\n')}\n`);
  }
}

function locksIn(site: Site): readonly string[] {
  const names = fs.readdirSync(site.folder, { recursive: true, encoding: 'utf8' });
  return names.filter(
    (name) => /(?:^|\/)(?:[^/]*\.)?lock$/.test(name) && fs.statSync(site.path(name)).isFile(),
  );
}

function withPid(line: string, pid: number): string {
  const { crc: _, ...record } = JSON.parse(line) as Record<string, unknown>;
  const text = JSON.stringify({ ...record, pid, startTime: '1' }).slice(0, -1);
  return `${text},"crc":"${zlib.crc32(text).toString(16).padStart(8, '0')}"}`;
}
