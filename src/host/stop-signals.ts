/**
 * Signals that ask the program to stop. A SIGHUP that was ignored when the program started, as with `nohup`, stays ignored. Node resets it
 * to the default before any code of the program runs, so this is known from what is left of it:
 *
 * H1 The shell names the command it started in `_`: bash, zsh and ksh name `nohup`.
 * H2 The parent process ignores SIGHUP: a shell after `trap '' HUP`, or a script started with `nohup`.
 * H3 There is a controlling terminal, and none of the streams is connected to it: a run in the background, which survives the end of its
 *    terminal.
 *
 * Without any of these, a run stops after SIGHUP. `nohup` from a shell that does not set `_` (dash) without a terminal leaves no trace.
 */
import fs from 'node:fs';

const STOP_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
export type StopSignal = (typeof STOP_SIGNALS)[number];

/** Returns a function that removes the listener. A hangup that the program survives stays without effect. */
export function onStopSignal(listener: (signal: StopSignal) => void): () => void {
  const survives = survivesHangup();
  const listened = STOP_SIGNALS.filter((signal) => signal !== 'SIGHUP' || !survives);
  if (survives && !process.listeners('SIGHUP').includes(ignore)) process.on('SIGHUP', ignore);
  const listeners = listened.map((signal) => ({ signal, call: () => listener(signal) }));
  for (const { signal, call } of listeners) process.on(signal, call);
  return () => {
    for (const { signal, call } of listeners) process.off(signal, call);
  };
}

function ignore(): void {}

function survivesHangup(): boolean {
  return /(?:^|\/)nohup$/.test(process.env['_'] ?? '') || parentIgnoresHangup() || isInBackground();
}

/** The parent of a process whose own parent has ended is process 1, which did not start it. */
function parentIgnoresHangup(): boolean {
  if (process.ppid <= 1) return false;
  try {
    const ignored = /^SigIgn:\s*([0-9a-f]+)$/m.exec(
      fs.readFileSync(`/proc/${process.ppid}/status`, 'utf8'),
    )?.[1];
    return ignored !== undefined && (BigInt(`0x${ignored}`) & 1n) === 1n;
  } catch {
    return false;
  }
}

function isInBackground(): boolean {
  try {
    fs.closeSync(fs.openSync('/dev/tty', 'r'));
  } catch {
    return false;
  }
  // Loaded only where there is a terminal: it takes 2 ms.
  const { isatty } = process.getBuiltinModule('node:tty');
  return ![0, 1, 2].some((fd) => isatty(fd));
}
