/** A stand-in for git that records its calls, or kills the program before, after or within one of them. */
import { execFileSync, spawnSync } from 'node:child_process';
import type { Play } from './play.ts';

export type How = 'before' | 'after' | 'within';

/** The call of a subcommand, by its number among the calls of that subcommand. */
export interface GitCall {
  readonly subcommand: string;
  readonly number: number;
  /** How many system calls of it write; of its processes, the one with the most. */
  readonly writes: number;
}

/** System calls that change what is on the disk. Those that write to a pipe are among them. */
const WRITES =
  'write,pwrite64,writev,pwritev,copy_file_range,ftruncate,rename,renameat,renameat2,link,linkat,unlink,unlinkat,symlink,symlinkat,mkdir,mkdirat,rmdir,fsync,fdatasync';
const STRACE = `strace -f -qq -e signal=none -e trace=${WRITES}`;

export function canTrace(): boolean {
  return spawnSync('strace', ['-o', '/dev/null', 'true']).status === 0;
}

const real = (): string => execFileSync('sh', ['-c', 'command -v git'], { encoding: 'utf8' }).trim();

/** The first word that is neither an option nor its value. */
const SUBCOMMAND = `s=; skip=
for w; do
  if [ -n "$skip" ]; then skip=; continue; fi
  case $w in -c|-C) skip=1 ;; -*) ;; *) s=$w; break ;; esac
done`;

/** Adds a line to the trace that the program's own operations are recorded in; what a call writes is counted if it can be traced. */
export function recordingGit(trace: string): string {
  const git = real();
  const call = canTrace()
    ? `f="${trace}.$$"
${STRACE} -o "$f" "${git}" "$@"; status=$?
n=$(awk '{ if (++count[$1] > most) most = count[$1] } END { print most + 0 }' "$f"); rm -f "$f"
printf '{"wrote":%s,"by":%s}\\n' "$n" "$$" >> "${trace}"
exit $status`
    : `exec "${git}" "$@"`;
  return `#!/bin/sh
${SUBCOMMAND}
printf '{"git":"%s","by":%s}\\n' "$s" "$$" >> "${trace}"
${call}
`;
}

export interface Killing {
  readonly how: How;
  /** Which of its system calls that write is not made; for `within`. */
  readonly at: number;
  /** Commands of a shell that run first, while the program is stopped. */
  readonly first?: string;
}

/** Kills the owner of the run, whom its lock names, and ends. `within`: git is killed first, before one of its system calls that write. */
export function killingGit(
  { site }: Pick<Play, 'site'>,
  { subcommand, number }: GitCall,
  { how, at, first }: Killing,
): string {
  const git = real();
  const owner = `$(cat "${site.path('work/.orchestrate/runs')}"/*/lock 2>/dev/null | sed -n 's/.*"pid":\\([0-9]*\\).*/\\1/p' | head -1)`;
  const kill = `owner=${owner}; kill -STOP $owner; ${first ?? ''}kill -9 $owner; exit 137`;
  const log = site.path('.home', 'strace');
  const within = `${STRACE} -e inject=${WRITES}:signal=KILL:when=${at} -o "${log}" "${git}" "$@"; status=$?
grep -q ' = ?$' "${log}" || exit $status
${kill}`;
  const calls = site.path('.home', 'calls');
  return `#!/bin/sh
${SUBCOMMAND}
[ "$s" = "${subcommand}" ] || exec "${git}" "$@"
printf . >> "${calls}"
[ "$(wc -c < "${calls}")" -eq ${number} ] || exec "${git}" "$@"
ls "${site.path('work/.orchestrate/runs')}"/*/lock >/dev/null 2>&1 || exec "${git}" "$@"
${how === 'before' ? kill : how === 'within' ? within : `"${git}" "$@"\n${kill}`}
`;
}
