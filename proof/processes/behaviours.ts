/**
 * What hostile agents and commands do, as shell. Each process that must not stay writes its pid to `$HOME/pids`; `ready` is there when all of
 * them run.
 */

/** A process of its own that works without end: a plain child that holds the output, one in its own session, a daemon without descriptors. */
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

/** Starts all of them and goes on without end. */
export function endless(manner: Manner): string {
  const deaf = manner === 'stubborn' ? 'trap "" TERM INT HUP' : ':';
  // Without the mark in its environment it is known by its parent alone.
  const unmarked = `env -i PATH="$PATH" setsid sh -c '${deaf}; echo $$ >> "$0"; while :; do sleep 1; done' "$HOME/pids" &`;
  return `${deaf}
${unmarked}
${offspring(manner === 'stubborn', 4)}
while :; do sleep 0.1; done`;
}

/** Starts all of them and ends by itself. */
export function leaving(manner: Manner, end: string): string {
  return `${offspring(manner === 'stubborn')}
${end}`;
}

/** Daemons that have given up environment, session, folder and parent: nothing tells whose they are but what the kernel hands on. */
function daemons(): string {
  const work = `sh -c 'cd /; echo $$ >> "$0"; while :; do sleep 1; done' "$HOME/pids" < /dev/null > /dev/null 2>&1`;
  return [
    `env -i setsid -f ${work}`,
    `( ( env -i setsid ${work} & ) & )`,
    'until [ "$(wc -l < "$HOME/pids")" -ge 2 ]; do sleep 0.02; done',
    ': > "$HOME/ready"',
  ].join('\n');
}

/** Starts them and ends by itself, or goes on without end. */
export function leavingDaemons(end = 'while :; do sleep 0.1; done'): string {
  return `: >> "$HOME/pids"\n${daemons()}\n${end}`;
}

/** What is found without `/proc`: children of its own. */
export const DESCENDANTS = `sh -c 'echo $$ >> "$HOME/pids"; while :; do sleep 1; done' &
until [ -s "$HOME/pids" ]; do sleep 0.02; done
: > "$HOME/ready"
while :; do sleep 0.1; done`;

/** Its children beget children for as long as they live. */
export const BREEDING = `trap "" TERM
breed='trap "" TERM; echo $$ >> "$HOME/pids"; while :; do setsid sleep 30 & sleep 0.03; done'
setsid sh -c "$breed" &
sh -c "$breed" &
until [ "$(wc -l < "$HOME/pids")" -ge 2 ]; do sleep 0.02; done
: > "$HOME/ready"
while :; do sleep 0.1; done`;

/** Stops itself: it hears SIGTERM only when it is told to go on. */
export const STANDSTILL = `sh -c 'echo $$ >> "$HOME/pids"; kill -STOP $$; sleep 1000' &
until [ -s "$HOME/pids" ]; do sleep 0.02; done
: > "$HOME/ready"
kill -STOP $$
sleep 1000`;
