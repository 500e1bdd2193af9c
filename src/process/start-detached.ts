/**
 * Starts a process that outlives this one: in a session of its own, without a terminal, its output in a file. It reports on descriptor 3 that
 * its work has begun, and closes it.
 */
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import type { Exit } from './exit.ts';

export interface DetachedRequest {
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly env: { readonly [name: string]: string | undefined };
  /** Written to its standard input. */
  readonly input: string;
  /** Descriptor of the file that gets its standard output and standard error. */
  readonly output: number;
}

const REPORT_DESCRIPTOR = 3;

export type DetachedStart =
  | { readonly type: 'begun'; readonly pid: number }
  /** It ended first; what it said is in its output. */
  | { readonly type: 'ended'; readonly exit: Exit }
  | { readonly type: 'not-started'; readonly code: string };

export async function startDetached(request: DetachedRequest): Promise<DetachedStart> {
  const { argv, cwd, env, input, output } = request;
  const [program = '', ...rest] = argv;
  const child = spawn(program, rest, {
    ...{ cwd, env, detached: true },
    stdio: ['pipe', output, output, 'pipe'],
  });
  const exited = new Promise<DetachedStart>((resolve) => {
    child.once('error', (problem: NodeJS.ErrnoException) =>
      resolve({ type: 'not-started', code: problem.code ?? String(problem) }),
    );
    child.once('exit', (code, signal) => resolve({ type: 'ended', exit: { code, signal } }));
  });
  const report = child.stdio[REPORT_DESCRIPTOR];
  const begun = new Promise<DetachedStart>((resolve) => {
    report?.once('data', () => resolve({ type: 'begun', pid: child.pid ?? 0 }));
  });
  // If it ends before it has read everything, `exited` says so.
  child.stdin?.on('error', () => {});
  child.stdin?.end(input);
  const started = await Promise.race([begun, exited]);
  child.unref();
  if (report !== undefined && report !== null && 'destroy' in report) report.destroy();
  return started;
}

/** Called by the process that was started. It works even if the process that started it has been killed meanwhile. */
export function reportStart(): void {
  try {
    fs.writeSync(REPORT_DESCRIPTOR, 'begun\n');
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'EPIPE') throw cause;
  }
  fs.closeSync(REPORT_DESCRIPTOR);
}
