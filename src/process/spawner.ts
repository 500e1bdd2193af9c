import { spawn } from 'node:child_process';
import fs from 'node:fs';
import { closeFile } from '../model/close-file.ts';
import type { Failure } from '../model/failure.ts';
import type { Exit } from './exit.ts';
import { errorCode } from './file-failure.ts';
import { HelperSpawner } from './helper-spawner.ts';
import type { NativePart } from './native.ts';
import { NativeSpawner } from './native-spawner.ts';
import { startTimeOf } from './process-table.ts';
import type { OpenFile } from './request.ts';
import type { SpawnHelper } from './spawn-helpers.ts';
import type { Stamper } from './stamper.ts';
import { startFailure } from './start-failure.ts';
import { endMarkedProcesses } from './terminate-tree.ts';

/** A process that writes its output into files itself. */
export interface StartRequest {
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly env: { readonly [name: string]: string };
  /** The mark in `env` that is this process's own. */
  readonly mark: string;
  /** `/dev/null` for none. The caller closes a descriptor. */
  readonly stdin: { readonly path: string; readonly descriptor?: number };
  /** The same file in two forms: for a child of this process, and for a child of another. */
  readonly stdout: OpenFile;
  readonly stderr: OpenFile;
}

export type StartAnswer =
  | { readonly type: 'not-started'; readonly failure: Failure }
  | {
      readonly type: 'started';
      readonly pid: number;
      readonly startTime: string;
      /** `lost`: it ran, and it is unknown how it ended. */
      readonly exited: Promise<Exit | 'lost'>;
      /** Stops waiting for it. */
      release(): void;
    };

/** Starts processes and reports their end. */
export interface Spawner {
  start(request: StartRequest): Promise<StartAnswer>;
  close(): void;
}

/** The failure of a process whose end is unknown (`lost`). */
export const LOST: Failure = {
  type: 'internal-error',
  message: 'the helper that started this process was killed, so it is unknown how it ended',
};

/**
 * Forking copies the page tables of the parent, so Node starts children of a large program slowly: eight times as slowly with 200 MB of heap. The
 * native part copies nothing, and is the fastest way to start one process after the other. While others are running, a small process of
 * our own starts more of them beside the work of this one: the first of `helpers` that runs on this machine, after some starts. Without the
 * native part, it takes over all starts. If it dies, this process starts children itself.
 */
export function createSpawner(options: {
  readonly helpers: readonly SpawnHelper[];
  readonly stamper: Stamper;
  readonly native?: NativePart;
}): Spawner {
  let own: NativeSpawner | undefined;
  const untried = [...options.helpers];
  let started = 0;
  /** Including the one that is being started. */
  let running = 0;
  let helper: HelperSpawner | undefined;
  const readyHelper = (): HelperSpawner | undefined => {
    started++;
    const [next] = untried;
    if (next !== undefined && started > next.worthAfter && (helper === undefined || helper.neverRan)) {
      untried.shift();
      helper = new HelperSpawner(next);
    }
    return helper?.isReady === true ? helper : undefined;
  };
  const isFastAlone = (): boolean => {
    const native = options.native?.();
    if (native !== undefined) own ??= new NativeSpawner(native);
    return own?.isSupported === true && running === 1;
  };
  const start = async (request: StartRequest): Promise<StartAnswer> => {
    const ready = isFastAlone() ? undefined : readyHelper();
    // Only a child of this process can inherit a file that is open here.
    if (ready !== undefined && request.stdin.descriptor === undefined) {
      const answer = await ready.start(request);
      if (answer === 'lost') {
        await endMarkedProcesses(request.mark, { graceMs: 0 });
        return { type: 'not-started', failure: LOST };
      }
      if (answer !== 'unavailable') return answer;
    }
    return await startHere(request, { own, stamper: options.stamper });
  };
  return {
    async start(request) {
      running += 1;
      const answer = await start(request);
      const ended = (): void => {
        running -= 1;
      };
      if (answer.type === 'started') void answer.exited.then(ended);
      else ended();
      return answer;
    },
    close() {
      helper?.close();
      own?.close();
    },
  };
}

async function startHere(
  request: StartRequest,
  { own, stamper }: { readonly own: NativeSpawner | undefined; readonly stamper: Stamper },
): Promise<StartAnswer> {
  const { path, descriptor } = request.stdin;
  let input: number;
  try {
    input = descriptor ?? fs.openSync(path, 'r');
  } catch (error) {
    return {
      type: 'not-started',
      failure: { type: 'file', operation: 'read', path, code: errorCode(error) },
    };
  }
  try {
    const started = own?.start(request, input);
    if (started !== undefined) return started;
    const [program = '', ...args] = request.argv;
    const child = stamper(request.mark, () =>
      spawn(program, args, {
        cwd: request.cwd,
        env: request.env,
        stdio: [input, request.stdout.descriptor, request.stderr.descriptor],
        detached: true,
      }),
    );
    const exited = new Promise<Exit>((resolve) =>
      child.once('exit', (code, signal) => resolve({ code, signal })),
    );
    const refused = new Promise<Error>((resolve) => child.on('error', resolve));
    const { pid } = child;
    if (pid === undefined) {
      return { type: 'not-started', failure: startFailure(request, errorCode(await refused)) };
    }
    return {
      type: 'started',
      pid,
      startTime: startTimeOf(pid),
      exited,
      release: () => child.unref(),
    };
  } catch (error) {
    return { type: 'not-started', failure: startFailure(request, errorCode(error)) };
  } finally {
    if (descriptor === undefined) closeFile(input);
  }
}
