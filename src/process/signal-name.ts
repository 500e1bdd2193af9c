import os from 'node:os';

export function signalName(number: number): NodeJS.Signals {
  const found = Object.entries(os.constants.signals).find(([, each]) => each === number)?.[0] ?? 'SIGKILL';
  return found as NodeJS.Signals;
}
