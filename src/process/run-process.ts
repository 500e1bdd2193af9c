/** Runs one process to its end. The caller stops what it leaves in the background after a normal exit. */
import { closeFile } from '../model/close-file.ts';
import { defined } from '../model/defined.ts';
import { addMark } from './environment.ts';
import type { MarkedRequest } from './exit.ts';
import { processMark } from './marks.ts';
import type { NativePart } from './native.ts';
import type { ProcessEnd, ProcessRequest } from './request.ts';
import { canRunDirectly, type DirectLane, runDirect } from './run-direct.ts';
import { runPiped } from './run-piped.ts';
import { trackProcess } from './running-processes.ts';
import type { EnterSandbox } from './sandbox.ts';
import type { SpawnHelper } from './spawn-helpers.ts';
import { createSpawner } from './spawner.ts';
import { SpoolPool } from './spool.ts';
import { createStamper, noStamper, type Stamper } from './stamper.ts';
import { openTextInput } from './text-input.ts';

export type RunProcess = (request: ProcessRequest) => Promise<ProcessEnd>;

/** For an occasional process. For many, use a `ProcessRunner`. */
export const runProcess: RunProcess = (request) => run(request, { stamper: noStamper });

export interface ProcessRunner {
  readonly run: RunProcess;
  /** Call it when nothing runs any more: removes its spools and stops its helper. */
  close(): void;
}

export interface RunnerOptions {
  /** Programs that start processes for this one, best first; without any, this process starts them itself. */
  readonly helpers?: readonly SpawnHelper[];
  readonly native?: NativePart;
  /** Without it, a request with a sandbox is refused. */
  readonly enterSandbox?: EnterSandbox;
}

export function createProcessRunner(options: RunnerOptions = {}): ProcessRunner {
  const { helpers = [], native, enterSandbox } = options;
  const stamper = native === undefined ? noStamper : createStamper(native);
  const spawner = createSpawner({ helpers, stamper, ...defined({ native }) });
  const lane: DirectLane = { spawner, spools: new SpoolPool() };
  return {
    run: (request) => run(request, { lane, stamper, ...defined({ enterSandbox }) }),
    close() {
      lane.spools.close();
      lane.spawner.close();
    },
  };
}

interface Means {
  readonly lane?: DirectLane;
  readonly stamper: Stamper;
  readonly enterSandbox?: EnterSandbox;
}

async function run(request: ProcessRequest, means: Means): Promise<ProcessEnd> {
  if (request.signal.aborted) return { type: 'not-started', failure: { type: 'cancelled' } };
  const { sandbox } = request;
  if (sandbox === undefined) return runHere(request, means);
  if (means.enterSandbox === undefined) throw new Error('this runner has no sandboxes');
  const entered = await means.enterSandbox(request, sandbox);
  if (entered.type === 'error') return { type: 'not-started', failure: entered.error };
  const { argv, env, leave } = entered.value;
  try {
    return await runHere({ ...request, argv, env }, means);
  } finally {
    leave();
  }
}

async function runHere(request: ProcessRequest, { lane, stamper }: Means): Promise<ProcessEnd> {
  const mark = request.mark ?? processMark(request.env);
  const running = trackProcess(mark);
  const text = request.stdin.type === 'text' ? openTextInput(request.stdin.text) : undefined;
  const marked: MarkedRequest = {
    ...request,
    ...(text === undefined ? {} : { stdin: { type: 'file', path: '/dev/stdin', descriptor: text } }),
    env: addMark(request.env, mark),
    mark,
    onStart(pid, startTime) {
      running.started(pid, startTime);
      request.onStart?.(pid, startTime);
    },
  };
  try {
    return lane !== undefined && canRunDirectly(marked)
      ? await runDirect(marked, lane)
      : await runPiped(marked, stamper);
  } finally {
    running.forget();
    if (text !== undefined) closeFile(text);
  }
}
