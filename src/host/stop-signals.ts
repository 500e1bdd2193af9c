/**
 * Signals that ask the program to stop. `nohup` sets SIGHUP to be ignored, but Node resets that when it starts, so the program recognizes
 * a run in the background by other means: it has a controlling terminal, and none of its streams is connected to it. Such a run survives
 * the end of its terminal; after `kill -HUP` without a terminal (cron, systemd, setsid) it stops as usual.
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
  try {
    fs.closeSync(fs.openSync('/dev/tty', 'r'));
  } catch {
    return false;
  }
  // Loaded only where there is a terminal: it takes 2 ms.
  const { isatty } = process.getBuiltinModule('node:tty');
  return ![0, 1, 2].some((fd) => isatty(fd));
}
