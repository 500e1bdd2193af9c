import type { Site } from '../../operations/site.ts';
import { childEnvironment } from '../../process/environment.ts';
import { runProcess } from '../../process/run-process.ts';
import { killAllNow } from '../../process/running-processes.ts';

export { killAllNow };

export interface LoopProcess {
  /** The program and its arguments. */
  readonly argv: readonly string[];
  /** One line of its output. */
  onLine(stream: 'stdout' | 'stderr', line: string): void;
  /** Interrupts the loop: it can be resumed. */
  readonly signal: AbortSignal;
}

/** Longer than a loop needs to stop its agent. */
const GRACE_MS = 20_000;
const NOTHING_KEPT = { files: [], headBytes: 0, tailBytes: 0 };

/** Runs a loop in a process of its own, to its end. */
export async function runLoopProcess(site: Site, loop: LoopProcess): Promise<void> {
  const unfinished = { stdout: '', stderr: '' };
  const end = await runProcess({
    argv: loop.argv,
    cwd: site.workspace,
    env: childEnvironment({ base: site.environment, runId: '', runMark: 'queue', key: 'queue' }),
    stdin: { type: 'none' },
    stdout: NOTHING_KEPT,
    stderr: NOTHING_KEPT,
    mask: [],
    graceMs: GRACE_MS,
    signal: loop.signal,
    onOutput(stream, chunk) {
      const lines = `${unfinished[stream]}${chunk.toString()}`.split('\n');
      unfinished[stream] = lines.pop() ?? '';
      for (const line of lines) loop.onLine(stream, line);
    },
  });
  for (const stream of ['stdout', 'stderr'] as const)
    if (unfinished[stream] !== '') loop.onLine(stream, unfinished[stream]);
  if (end.type === 'not-started' && !loop.signal.aborted)
    loop.onLine('stderr', 'the process cannot be started');
}
