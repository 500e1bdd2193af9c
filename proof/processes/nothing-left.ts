import fs from 'node:fs';
import { must } from '../must.ts';
import { processesIn } from '../program.ts';
import type { Site } from '../site/site.ts';

const LONGEST_MS = 10_000;

/** No process of the work exists ten seconds after its end. */
export async function mustLeaveNothing(site: Site): Promise<void> {
  const since = performance.now();
  for (;;) {
    const left = leftIn(site);
    const waitedMs = performance.now() - since;
    if (left.length === 0) return site.trial.took('until the last process was gone', waitedMs);
    must(waitedMs < LONGEST_MS, () => {
      const found = left.map(described).join('\n');
      // A check leaves nothing behind, whatever it finds (P3).
      for (const pid of left) process.kill(pid, 'SIGKILL');
      return { expected: 'no process 10 s after the end', found };
    });
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

function leftIn(site: Site): readonly number[] {
  const told = site
    .lines('pids')
    .map(Number)
    .filter((pid) => isAtWork(pid) && isOurs(pid, site));
  return [...new Set([...processesIn(site.folder), ...told])];
}

/** Its pid may have been reused. A process without an environment has our folder among its arguments. */
function isOurs(pid: number, site: Site): boolean {
  return ['environ', 'cmdline'].some((name) => {
    try {
      return fs.readFileSync(`/proc/${pid}/${name}`, 'utf8').includes(site.folder);
    } catch {
      return false;
    }
  });
}

export function isAtWork(pid: number): boolean {
  try {
    return /^State:\s+[^ZX]/m.test(fs.readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}

function described(pid: number): string {
  try {
    return `${pid}: ${fs.readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').slice(0, 200)}`;
  } catch {
    return String(pid);
  }
}
