/**
 * Ends what a worker left running when the worker itself is gone: its commands would keep writing into the shared folder while another worker
 * runs the step again. It is a process of its own, and learns of the worker's end by the end of its input.
 */
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { MARK_VARIABLE } from '../process/marks.ts';
import { endMarkedProcesses } from '../process/terminate-tree.ts';

const GRACE_MS = 500;

export interface Warden {
  begins(mark: string): void;
  ends(mark: string): void;
  /** Nothing is left to be watched. */
  dismiss(): void;
}

/** `argv` starts a process that calls `watchOver`. It outlives this one. */
export function postWarden(argv: readonly string[], mark: string): Warden {
  const [program = '', ...args] = argv;
  // It must not carry the marks of what it ends.
  const { [MARK_VARIABLE]: _, ...env } = process.env;
  const child = spawn(program, [...args, mark], { detached: true, stdio: ['pipe', 'ignore', 'ignore'], env });
  child.unref();
  (child.stdin as unknown as { unref?(): void }).unref?.();
  child.on('error', () => {});
  child.stdin.on('error', () => {});
  return {
    begins: (call) => void child.stdin.write(`+${call}\n`),
    ends: (call) => void child.stdin.write(`-${call}\n`),
    dismiss: () => void child.stdin.end('.\n'),
  };
}

/** Resolves when everything with these marks has ended, or when the worker has dismissed it. */
export async function watchOver(input: NodeJS.ReadableStream, mark: string): Promise<void> {
  const marks = new Set([mark]);
  for await (const line of createInterface({ input })) {
    if (line === '.') return;
    if (line.startsWith('+')) marks.add(line.slice(1));
    if (line.startsWith('-')) marks.delete(line.slice(1));
  }
  await Promise.all([...marks].map((each) => endMarkedProcesses(each, { graceMs: GRACE_MS })));
}
