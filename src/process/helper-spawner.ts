import { type ChildProcess, spawn } from 'node:child_process';
import type { Socket } from 'node:net';
import { getSystemErrorName } from 'node:util';
import type { Failure } from '../model/failure.ts';
import type { Exit } from './exit.ts';
import { encodeEnvironment, encodeStart, readLines } from './helper-protocol.ts';
import { trackHelper } from './running-processes.ts';
import { signalName } from './signal-name.ts';
import type { SpawnHelper } from './spawn-helpers.ts';
import type { StartAnswer, StartRequest } from './spawner.ts';
import { startFailure } from './start-failure.ts';

type Environment = StartRequest['env'];

/** `asked` → `starting` → `started` → removed from the table. */
type InFlight =
  | {
      readonly type: 'asked' | 'starting';
      readonly request: StartRequest;
      readonly answer: (answer: StartAnswer | 'unavailable' | 'lost') => void;
    }
  | { readonly type: 'started'; readonly end: (exit: Exit | 'lost') => void };

/**
 * Our end of the spawn helper. If the helper dies, requests it had not started are `unavailable`, to be started in another
 * way, and those it had started or may have started are `lost`: nothing is ever started twice.
 */
export class HelperSpawner {
  readonly #child: ChildProcess;
  readonly #inFlight = new Map<number, InFlight>();
  #base: Environment | undefined;
  #lastId = 0;
  #state: 'new' | 'ready' | 'failed' | 'gone' = 'new';
  #forget = (): void => {};

  constructor({ program, args }: SpawnHelper) {
    // A session of its own: Ctrl-C in the terminal goes to us, and we stop processes in our own order.
    this.#child = spawn(program, args, {
      env: {},
      stdio: ['pipe', 'pipe', 'ignore'],
      detached: true,
    });
    this.#child.once('error', this.#gone);
    this.#child.once('close', this.#gone);
    this.#child.stdin?.on('error', () => {});
    this.#child.stdout?.setEncoding('utf8').on(
      'data',
      readLines((words) => this.#hear(words)),
    );
    if (this.#child.pid !== undefined) this.#forget = trackHelper(this.#child.pid);
    this.#child.unref();
    this.#holdLoop(false);
    (this.#child.stdin as Socket | null)?.unref();
  }

  get isReady(): boolean {
    return this.#state === 'ready';
  }

  /** The program does not exist on this machine or cannot run. */
  get neverRan(): boolean {
    return this.#state === 'failed';
  }

  async start(request: StartRequest): Promise<StartAnswer | 'unavailable' | 'lost'> {
    if (this.#base === undefined) {
      const environment = encodeEnvironment(request.env);
      if (environment === undefined) return 'unavailable';
      this.#base = request.env;
      this.#child.stdin?.write(environment);
    }
    const id = ++this.#lastId;
    const message = encodeStart(id, request, this.#base);
    if (message === undefined) return 'unavailable';
    return await new Promise((answer) => {
      this.#add(id, { type: 'asked', request, answer });
      this.#child.stdin?.write(message);
    });
  }

  close(): void {
    this.#state = 'gone';
    this.#child.stdin?.end();
  }

  #hear([type, name, ...values]: readonly string[]): void {
    if (type === 'ready') {
      if (this.#state === 'new') this.#state = 'ready';
      return;
    }
    const id = Number(name);
    const flight = this.#inFlight.get(id);
    if (flight === undefined) return;
    if (flight.type === 'started') {
      if (type !== 'exited') return;
      this.#remove(id);
      flight.end(exitOf(values));
      return;
    }
    switch (type) {
      case 'starting':
        this.#inFlight.set(id, { ...flight, type: 'starting' });
        return;
      case 'refused':
        this.#remove(id);
        flight.answer({ type: 'not-started', failure: refusal(flight.request, values) });
        return;
      case 'started': {
        const [pid, startTime = ''] = values;
        const exited = new Promise<Exit | 'lost'>((end) => this.#inFlight.set(id, { type: 'started', end }));
        const release = (): void => this.#remove(id);
        flight.answer({ type: 'started', pid: Number(pid), startTime, exited, release });
      }
    }
  }

  readonly #gone = (): void => {
    if (this.#state !== 'failed') this.#state = this.#state === 'new' ? 'failed' : 'gone';
    this.#forget();
    for (const [id, flight] of this.#inFlight) {
      this.#remove(id);
      if (flight.type === 'started') flight.end('lost');
      else flight.answer(flight.type === 'asked' ? 'unavailable' : 'lost');
    }
  };

  #add(id: number, flight: InFlight): void {
    this.#inFlight.set(id, flight);
    if (this.#inFlight.size === 1) this.#holdLoop(true);
  }

  #remove(id: number): void {
    this.#inFlight.delete(id);
    if (this.#inFlight.size === 0) this.#holdLoop(false);
  }

  /** An idle helper must not keep the program alive; a running child must. */
  #holdLoop(isHeld: boolean): void {
    const socket = this.#child.stdout as Socket | null;
    if (isHeld) socket?.ref();
    else socket?.unref();
  }
}

function exitOf([code, signal]: readonly string[]): Exit {
  return signal === undefined
    ? { code: Number(code), signal: null }
    : { code: null, signal: signalName(Number(signal)) };
}

function refusal(request: StartRequest, [number, stream]: readonly string[]): Failure {
  const code = getSystemErrorName(-Number(number));
  if (stream === undefined) return startFailure(request, code);
  const { path } = [request.stdin, request.stdout, request.stderr][Number(stream)] ?? request.stdin;
  return { type: 'file', operation: stream === '0' ? 'read' : 'write', path, code };
}
