/**
 * Compares what the shim has seen of a command with what the kernel has: an operation that bypassed the shim would be a moment at
 * which nothing was ever killed. Threads of the program count; its child processes do not.
 */
import { spawn, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import type { Trial } from '../suite.ts';
import { Violation } from '../suite.ts';
import type { Act } from './play.ts';
import type { Operation } from './rehearse.ts';
import { environmentOf, type Theatre } from './stage.ts';

/** System call → kind of operation. */
const CALLS: Readonly<Record<string, string>> = {
  ...{ write: 'write', pwrite64: 'write', writev: 'write', pwritev: 'write', pwritev2: 'write' },
  ...{ rename: 'rename', renameat: 'rename', renameat2: 'rename', link: 'link', linkat: 'link' },
  ...{ unlink: 'unlink', unlinkat: 'unlink', rmdir: 'rmdir', symlink: 'symlink', symlinkat: 'symlink' },
  ...{ mkdir: 'mkdir', mkdirat: 'mkdir', ftruncate: 'truncate', truncate: 'truncate' },
  ...{
    fsync: 'sync',
    fdatasync: 'sync',
    copy_file_range: 'write',
    sendfile: 'write',
    io_uring_enter: 'unknown',
  },
};
const TRACED = [...Object.keys(CALLS), 'open', 'openat', 'openat2', 'clone', 'clone3'];

/** /dev/shm counts as a disk, except for a file that never had a name there: that is memory. */
const DEVICE = /^\/dev\/(?!shm\/(?!#\d))/;

export function canTrace(): boolean {
  return spawnSync('strace', ['-o', '/dev/null', 'true']).status === 0;
}

export async function traceAct(trial: Trial, theatre: Theatre, act: Act): Promise<void> {
  const stage = path.join(theatre.folder, '.proof');
  const [seen, kernel] = [path.join(stage, `seen-${act.name}`), path.join(stage, `strace-${act.name}`)];
  const exitCode = await straced({ theatre, act, kernel, seen, signal: trial.signal });
  if (exitCode !== (act.exitCode ?? 0))
    throw new Violation({ expected: `exit code ${act.exitCode ?? 0} under strace`, found: String(exitCode) });
  const counted = countSeen(seen);
  for (const [what, count] of countKernel(kernel)) {
    trial.count('operations seen by the kernel', count);
    const known = counted.get(what) ?? 0;
    if (count <= known) continue;
    throw new Violation({
      expected: `${count} times \`${what}\`, as the kernel has seen`,
      found: `${known} times by the shim`,
      where: `act \`${act.name}\``,
    });
  }
}

interface Straced {
  readonly theatre: Theatre;
  readonly act: Act;
  readonly kernel: string;
  readonly seen: string;
  readonly signal: AbortSignal;
}

function straced({ theatre, act, kernel, seen, signal }: Straced): Promise<number | null> {
  const binary = path.join(theatre.root, 'bin', `${act.program ?? 'orchestrate'}.js`);
  const options = ['-ff', '-y', '-o', kernel, '-e', `trace=${TRACED.join(',')}`];
  const child = spawn('strace', [...options, process.execPath, binary, ...act.argv], {
    ...{ cwd: theatre.folder, signal, stdio: ['pipe', 'ignore', 'ignore'] },
    env: environmentOf(theatre, { trace: seen }),
  });
  child.stdin?.on('error', () => {});
  child.stdin?.end((act.stdin ?? '').replaceAll('{folder}', theatre.folder));
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
}

/** `rename state.json` → how often. */
function countSeen(file: string): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  if (!fs.existsSync(file)) return counts;
  for (const line of fs.readFileSync(file, 'utf8').split('\n').slice(0, -1)) {
    const { kind, path: place, to } = JSON.parse(line) as Operation;
    const what = `${kind} ${path.basename(to ?? place)}`;
    counts.set(what, (counts.get(what) ?? 0) + 1);
  }
  return counts;
}

function countKernel(prefix: string): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const lines of threadsOf(prefix)) {
    for (const line of lines) {
      const what = operationIn(line);
      if (what !== undefined && !/ (?:seen|strace)-/.test(what))
        counts.set(what, (counts.get(what) ?? 0) + 1);
    }
  }
  return counts;
}

/** The lines of each thread of the program: its first one, and those started as threads by one of them. */
function threadsOf(prefix: string): readonly (readonly string[])[] {
  const folder = path.dirname(prefix);
  const names = fs.readdirSync(folder).filter((name) => name.startsWith(`${path.basename(prefix)}.`));
  const lines = new Map(
    names.map((name) => [
      name.slice(name.lastIndexOf('.') + 1),
      fs.readFileSync(path.join(folder, name), 'utf8').split('\n'),
    ]),
  );
  const started = (pid: string, pattern: RegExp): readonly string[] =>
    (lines.get(pid) ?? []).flatMap((line) => (pattern.test(line) ? (/= (\d+)$/.exec(line)?.[1] ?? []) : []));
  const others = new Set([...lines.keys()].flatMap((pid) => started(pid, /^(?:clone|vfork|fork)/)));
  const known = [...lines.keys()].filter((pid) => !others.has(pid));
  for (const pid of known) known.push(...started(pid, /CLONE_THREAD/));
  return known.flatMap((pid) => {
    const own = lines.get(pid);
    return own === undefined ? [] : [own];
  });
}

/** `unlink("/a/b") = 0` → `unlink b`; undefined if it failed, or does not concern a file. */
function operationIn(line: string): string | undefined {
  const parts = /^(\w+)\((.*)\)\s+= (\d+)(?:<(.*)>)?/.exec(line);
  if (parts === null) return undefined;
  const [, call = '', args = '', , opened = ''] = parts;
  if (call.startsWith('open')) {
    if (!/O_CREAT|O_TRUNC/.test(args) || DEVICE.test(opened)) return undefined;
    return `create ${path.basename(opened)}`;
  }
  const kind = call === 'unlinkat' && args.includes('AT_REMOVEDIR') ? 'rmdir' : CALLS[call];
  if (kind === undefined) return undefined;
  const descriptor = /^(\d+)<([^>]*)>/.exec(args);
  if (descriptor !== null) {
    const [, fd = '', place = ''] = descriptor;
    const isFile = place.startsWith('/') && !DEVICE.test(place) && Number(fd) > 2;
    return isFile ? `${kind} ${path.basename(place)}` : undefined;
  }
  const names = [...args.matchAll(/"((?:[^"\\]|\\.)*)"/g)].map(([, name = '']) => name);
  return names.length === 0 ? undefined : `${kind} ${path.basename(names.at(-1) ?? '')}`;
}
