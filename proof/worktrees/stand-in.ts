/** A stand-in for git that records its calls, or kills the program before, after or within one of them. */
import { execFileSync } from 'node:child_process';
import type { Play } from './play.ts';

export type How = 'before' | 'after' | 'within';

/** The call of a subcommand, by its number among the calls of that subcommand. */
export interface GitCall {
  readonly subcommand: string;
  readonly number: number;
}

const real = (): string => execFileSync('sh', ['-c', 'command -v git'], { encoding: 'utf8' }).trim();

/** The first word that is neither an option nor its value. */
const SUBCOMMAND = `s=; skip=
for w; do
  if [ -n "$skip" ]; then skip=; continue; fi
  case $w in -c|-C) skip=1 ;; -*) ;; *) s=$w; break ;; esac
done`;

/** Adds a line to the trace that the program's own operations are recorded in. */
export function recordingGit(trace: string): string {
  return `#!/bin/sh
${SUBCOMMAND}
printf '{"git":"%s"}\\n' "$s" >> "${trace}"
exec "${real()}" "$@"
`;
}

export interface Killing {
  readonly how: How;
  readonly delayMs: number;
  /** Commands of a shell that run first, while the program is stopped. */
  readonly first?: string;
}

/**
 * Kills the owner of the run, whom its lock names, and ends. `within`: git is killed after `delayMs`, and then the program, unless git was
 * quicker. Git gets its input, which a shell closes for what it starts with `&`.
 */
export function killingGit(
  { site }: Pick<Play, 'site'>,
  { subcommand, number }: GitCall,
  { how, delayMs, first }: Killing,
): string {
  const git = real();
  const owner = `$(cat "${site.path('work/.orchestrate/runs')}"/*/lock 2>/dev/null | sed -n 's/.*"pid":\\([0-9]*\\).*/\\1/p' | head -1)`;
  const kill = `owner=${owner}; kill -STOP $owner; ${first ?? ''}kill -9 $owner; exit 137`;
  const within = `exec 3<&0
"${git}" "$@" <&3 & child=$!
sleep 0.0${String(delayMs).padStart(2, '0')}
kill -9 $child 2>/dev/null || { wait $child; exit; }
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
