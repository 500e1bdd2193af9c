/** The child writes its log files itself, without pipes. */
import fs from 'node:fs';
import { dirname } from 'node:path';
import { defined } from '../model/defined.ts';
import type { Failure } from '../model/failure.ts';
import { CallerTrouble } from './caller-trouble.ts';
import { exitCodeOf, type MarkedRequest } from './exit.ts';
import { attempt } from './file-failure.ts';
import { heldByDescendant } from './held-file.ts';
import { removeFile } from './late-file.ts';
import { Limits } from './limits.ts';
import type { CapturedOutput, ProcessEnd } from './request.ts';
import { LOST, type Spawner } from './spawner.ts';
import { SpooledOutput, type SpoolPool } from './spool.ts';
import { terminateTree } from './terminate-tree.ts';

/** The log of a process that runs this long becomes readable. */
const PUBLISH_EVERY_MS = 250;

export interface DirectLane {
  readonly spawner: Spawner;
  readonly spools: SpoolPool;
}

/**
 * Only if the bytes need not be seen before they reach the disk, or as they arrive, and each stream has one log.
 * The system then reports a full disk to the child, as in a shell's redirection.
 */
export function canRunDirectly(request: MarkedRequest): boolean {
  return (
    request.mask.length === 0 &&
    request.onOutput === undefined &&
    request.idleTimeoutMs === undefined &&
    request.stdin.type !== 'text' &&
    [request.stdout, request.stderr].every(
      (output) => output.files.length === 1 && (output.opened ?? []).length === 0,
    )
  );
}

export async function runDirect(request: MarkedRequest, lane: DirectLane): Promise<ProcessEnd> {
  const outputs: SpooledOutput[] = [];
  for (const output of [request.stdout, request.stderr]) {
    const [path = ''] = output.files;
    const failure =
      removeFile(path) ??
      attempt('write', path, () => {
        outputs.push(new SpooledOutput(lane.spools, output, path));
      });
    if (failure !== undefined) {
      for (const other of outputs) other.abandon();
      return { type: 'not-started', failure };
    }
  }
  const [stdout, stderr] = outputs;
  if (stdout === undefined || stderr === undefined) throw new Error('a process has two streams');
  const started = await lane.spawner.start({
    argv: request.argv,
    cwd: request.cwd,
    env: request.env,
    mark: request.mark,
    stdin: request.stdin.type === 'file' ? request.stdin : { path: '/dev/null' },
    stdout: stdout.spool,
    stderr: stderr.spool,
  });
  if (started.type === 'not-started') {
    for (const output of outputs) output.abandon();
    return started;
  }
  const { pid, startTime } = started;
  const limits = new Limits(request, { pid, mark: request.mark, startTime });
  let writeFailure: Failure | undefined;
  const publishing = setInterval(() => {
    for (const output of outputs) {
      writeFailure ??= attempt('write', output.spool.path, () => output.publish());
    }
  }, PUBLISH_EVERY_MS);
  const caller = new CallerTrouble(limits);
  caller.call(() => request.onStart?.(pid, startTime));

  const exit = await Promise.race([started.exited, limits.givenUp]);
  started.release();
  clearInterval(publishing);
  if (exit === 'lost')
    await terminateTree(pid, { graceMs: request.graceMs ?? 5_000, mark: request.mark, startTime });
  const ended = await limits.settle();
  const holding = heldByDescendant([stdout.spool.descriptor, stderr.spool.descriptor], pid);
  const settle = (output: SpooledOutput): CapturedOutput => {
    let captured: CapturedOutput = { bytes: 0, head: Buffer.alloc(0), tail: Buffer.alloc(0) };
    const failure = attempt('write', output.spool.path, () => {
      captured = output.settle(holding);
    });
    writeFailure ??= failure;
    return captured;
  };
  const captured = { stdout: settle(stdout), stderr: settle(stderr) };
  if (ended === undefined && exit !== 'lost' && exit.code !== 0) writeFailure ??= fullDisk(stdout.spool.path);
  caller.rethrow();
  if (exit === 'lost') return { type: 'not-started', failure: LOST };
  return {
    type: 'exited',
    ...exitCodeOf(exit),
    ...defined({ ended }),
    ...captured,
    ...defined({ writeFailure }),
  };
}

/** A program that fails because the disk it prints to is full cannot report it: its message went there too. */
function fullDisk(path: string): Failure | undefined {
  try {
    if (fs.statfsSync(dirname(path)).bavail > 0) return undefined;
  } catch {
    return undefined;
  }
  return { type: 'file', operation: 'write', path, code: 'ENOSPC' };
}
