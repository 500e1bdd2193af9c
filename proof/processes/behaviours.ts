/**
 * Behaviours of hostile agents and commands, as shell scripts. Each process that must not survive writes its pid to `$HOME/pids`; `ready`
 * exists when all of them run.
 */

/** Endless processes: a plain child that keeps the output open, one in its own session, a daemon without descriptors. */
function offspring(isStubborn: boolean, count = 3): string {
  const deaf = isStubborn ? 'trap "" TERM INT HUP; ' : '';
  const work = `${deaf}echo $$ >> "$HOME/pids"; while :; do sleep 1; done`;
  return [
    `sh -c '${work}' &`,
    `setsid sh -c '${work}' &`,
    `( ( setsid sh -c 'exec < /dev/null > /dev/null 2>&1; exec 0<&- 1>&- 2>&-; ${work}' & ) & )`,
    `until [ "$(wc -l < "$HOME/pids")" -ge ${count} ]; do sleep 0.02; done`,
    ': > "$HOME/ready"',
  ].join('\n');
}

export type Manner = 'obedient' | 'stubborn';

/** Starts all of them and never ends. */
export function endless(manner: Manner): string {
  const deaf = manner === 'stubborn' ? 'trap "" TERM INT HUP' : ':';
  // Without the mark in its environment it is found only by its parent.
  const unmarked = `env -i PATH="$PATH" setsid sh -c '${deaf}; echo $$ >> "$0"; while :; do sleep 1; done' "$HOME/pids" &`;
  return `${deaf}
${unmarked}
${offspring(manner === 'stubborn', 4)}
while :; do sleep 0.1; done`;
}

/** Starts all of them and exits. */
export function leaving(manner: Manner, end: string): string {
  return `${offspring(manner === 'stubborn')}
${end}`;
}

/** Daemons that have dropped environment, session, folder and parent: only what the kernel inherits identifies them. */
function daemons(): string {
  const work = `sh -c 'cd /; echo $$ >> "$0"; while :; do sleep 1; done' "$HOME/pids" < /dev/null > /dev/null 2>&1`;
  return [
    `env -i setsid -f ${work}`,
    `( ( env -i setsid ${work} & ) & )`,
    'until [ "$(wc -l < "$HOME/pids")" -ge 2 ]; do sleep 0.02; done',
    ': > "$HOME/ready"',
  ].join('\n');
}

/** Starts them and exits, or never ends. */
export function leavingDaemons(end = 'while :; do sleep 0.1; done'): string {
  return `: >> "$HOME/pids"\n${daemons()}\n${end}`;
}

/** Processes that can be found without `/proc`: its own children. */
export const DESCENDANTS = `sh -c 'echo $$ >> "$HOME/pids"; while :; do sleep 1; done' &
until [ -s "$HOME/pids" ]; do sleep 0.02; done
: > "$HOME/ready"
while :; do sleep 0.1; done`;

/** Its children keep starting children. */
export const BREEDING = `trap "" TERM
breed='trap "" TERM; echo $$ >> "$HOME/pids"; while :; do setsid sleep 30 & sleep 0.03; done'
setsid sh -c "$breed" &
sh -c "$breed" &
until [ "$(wc -l < "$HOME/pids")" -ge 2 ]; do sleep 0.02; done
: > "$HOME/ready"
while :; do sleep 0.1; done`;

/** Suspends itself: it receives SIGTERM only after SIGCONT. */
export const STANDSTILL = `sh -c 'echo $$ >> "$HOME/pids"; kill -STOP $$; sleep 1000' &
until [ -s "$HOME/pids" ]; do sleep 0.02; done
: > "$HOME/ready"
kill -STOP $$
sleep 1000`;
