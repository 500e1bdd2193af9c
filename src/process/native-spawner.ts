/**
 * Starts processes from this one with `posix_spawn`, without `node:child_process`: loading that and forking takes a tenth of a short run.
 *
 * N1 The system reports the end of a child with SIGCHLD; every child is then asked for. A slow timer does the same, in case a signal is lost.
 * N2 A child keeps this process alive until it has ended or was released. A released child is still waited for, so that it leaves no zombie.
 */
import { getSystemErrorName } from 'node:util';
import type { Exit } from './exit.ts';
import { joinFields } from './helper-protocol.ts';
import type { Native } from './native.ts';
import { startTimeOf } from './process-table.ts';
import { signalName } from './signal-name.ts';
import type { StartAnswer, StartRequest } from './spawner.ts';
import { startFailure } from './start-failure.ts';

/** N1 */
const LOOK_EVERY_MS = 1000;
const STILL_RUNNING = -1;
const SIGNAL_FACTOR = 256;

interface Child {
  readonly end: (exit: Exit | 'lost') => void;
  isHeld: boolean;
}

export class NativeSpawner {
  readonly #native: Native;
  readonly #children = new Map<number, Child>();
  #timer: NodeJS.Timeout | undefined;
  #held = 0;
  #isClosed = false;
  /** Whether the system has the call, as far as is known. */
  isSupported = true;

  constructor(native: Native) {
    this.#native = native;
  }

  /**
   * `input`: a descriptor of the file for its standard input. Undefined if this cannot start it: a text contains a NUL, no program is named,
   * or the system has no such call.
   */
  start(request: StartRequest, input: number): StartAnswer | undefined {
    const { argv, cwd, env, mark, stdout, stderr } = request;
    if (argv[0] === undefined || argv[0] === '') return undefined;
    const files = [input, stdout.descriptor, stderr.descriptor].map(String);
    const variables = Object.entries(env).map(([name, value]) => `${name}=${value}`);
    const fields = joinFields([cwd, ...files, mark, String(argv.length), ...argv, ...variables]);
    if (fields === undefined) return undefined;
    this.#watch();
    const pid = this.#native.start(fields);
    if (pid < 0) {
      const code = getSystemErrorName(pid);
      if (code !== 'ENOSYS') return { type: 'not-started', failure: startFailure(request, code) };
      this.isSupported = false;
      return undefined;
    }
    const startTime = startTimeOf(pid);
    let release = (): void => {};
    const exited = new Promise<Exit | 'lost'>((end) => {
      const child: Child = { end, isHeld: true };
      this.#children.set(pid, child);
      this.#hold(1);
      release = () => this.#letGo(child);
    });
    return { type: 'started', pid, startTime, exited, release };
  }

  /** Children that are still running are waited for, without keeping this process alive. */
  close(): void {
    this.#isClosed = true;
    if (this.#children.size === 0) this.#unwatch();
  }

  #unwatch(): void {
    process.off('SIGCHLD', this.#look);
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #watch(): void {
    if (this.#timer !== undefined) return;
    process.on('SIGCHLD', this.#look);
    this.#timer = setInterval(this.#look, LOOK_EVERY_MS);
    this.#timer.unref();
  }

  readonly #look = (): void => {
    for (const [pid, child] of this.#children) {
      const end = this.#native.endOf(pid);
      if (end === STILL_RUNNING) continue;
      this.#children.delete(pid);
      this.#letGo(child);
      child.end(end < 0 ? 'lost' : exitOf(end));
    }
    if (this.#isClosed && this.#children.size === 0) this.#unwatch();
  };

  #letGo(child: Child): void {
    if (child.isHeld) this.#hold(-1);
    child.isHeld = false;
  }

  /** N2 */
  #hold(change: 1 | -1): void {
    this.#held += change;
    if (this.#held > 0) this.#timer?.ref();
    else this.#timer?.unref();
  }
}

function exitOf(end: number): Exit {
  return end < SIGNAL_FACTOR
    ? { code: end, signal: null }
    : { code: null, signal: signalName(end / SIGNAL_FACTOR) };
}
