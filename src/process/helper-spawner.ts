import { type ChildProcess, spawn } from 'node:child_process';
import type { Socket } from 'node:net';
import type { Exit } from './exit.ts';
import { type FromHelper, readLines, type ToHelper } from './helper-protocol.ts';
import { trackHelper } from './running-processes.ts';
import type { StartAnswer, StartRequest } from './spawner.ts';
import { startFailure } from './start-failure.ts';

type Environment = StartRequest['env'];

/** `asked` → `starting` → `started` → gone from the table. */
type InFlight =
  | {
      readonly type: 'asked' | 'starting';
      readonly request: StartRequest;
      readonly answer: (answer: StartAnswer | 'unavailable' | 'lost') => void;
    }
  | { readonly type: 'started'; readonly end: (exit: Exit | 'lost') => void };

/**
 * Our end of the spawn helper. When the helper dies, what it had not begun to start is `unavailable`, to be started in another
 * way, and what it had or may have started is `lost`: nothing is ever started twice.
 */
export class HelperSpawner {
  readonly #child: ChildProcess;
  readonly #inFlight = new Map<number, InFlight>();
  #base: Environment | undefined;
  #lastId = 0;
  #isReady = false;
  #forget = (): void => {};

  constructor(path: string) {
    // A session of its own: Ctrl-C in the terminal is for us, and we end what runs in our own order.
    this.#child = spawn(process.execPath, [path], {
      env: {},
      stdio: ['pipe', 'pipe', 'ignore'],
      detached: true,
    });
    this.#child.once('error', this.#gone);
    this.#child.once('close', this.#gone);
    this.#child.stdin?.on('error', () => {});
    this.#child.stdout?.setEncoding('utf8').on(
      'data',
      readLines((line) => this.#hear(JSON.parse(line) as FromHelper)),
    );
    if (this.#child.pid !== undefined) this.#forget = trackHelper(this.#child.pid);
    this.#child.unref();
    this.#holdLoop(false);
    (this.#child.stdin as Socket | null)?.unref();
  }

  get isReady(): boolean {
    return this.#isReady;
  }

  start(request: StartRequest): Promise<StartAnswer | 'unavailable' | 'lost'> {
    const { argv, cwd, stdin, stdout, stderr } = request;
    if (this.#base === undefined) {
      this.#base = request.env;
      this.#tell({ type: 'environment', env: request.env });
    }
    const id = ++this.#lastId;
    return new Promise((answer) => {
      this.#add(id, { type: 'asked', request, answer });
      this.#tell({
        type: 'start',
        id,
        argv,
        cwd,
        ...difference(this.#base ?? {}, request.env),
        stdin: stdin.path,
        stdout: stdout.path,
        stderr: stderr.path,
      });
    });
  }

  close(): void {
    this.#isReady = false;
    this.#child.stdin?.end();
  }

  #hear(message: FromHelper): void {
    if (message.type === 'ready') {
      this.#isReady = true;
      return;
    }
    const flight = this.#inFlight.get(message.id);
    if (message.type === 'starting') {
      if (flight?.type === 'asked') this.#inFlight.set(message.id, { ...flight, type: 'starting' });
      return;
    }
    this.#remove(message.id);
    switch (message.type) {
      case 'started': {
        if (flight === undefined || flight.type === 'started') return;
        const { pid, startTime } = message;
        const exited = new Promise<Exit | 'lost'>((end) => this.#add(message.id, { type: 'started', end }));
        flight.answer({ type: 'started', pid, startTime, exited, release: () => this.#remove(message.id) });
        return;
      }
      case 'refused': {
        if (flight === undefined || flight.type === 'started') return;
        const { code, path } = message;
        const failure =
          path === undefined
            ? startFailure(flight.request, code)
            : ({
                type: 'file',
                operation: path === flight.request.stdin.path ? 'read' : 'write',
                path,
                code,
              } as const);
        flight.answer({ type: 'not-started', failure });
        return;
      }
      case 'exited':
        if (flight?.type === 'started') flight.end(message.exit);
    }
  }

  readonly #gone = (): void => {
    this.#isReady = false;
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

  /** An idle helper must not keep the program from ending; a running child must. */
  #holdLoop(isHeld: boolean): void {
    const socket = this.#child.stdout as Socket | null;
    if (isHeld) socket?.ref();
    else socket?.unref();
  }

  #tell(message: ToHelper): void {
    this.#child.stdin?.write(`${JSON.stringify(message)}\n`);
  }
}

function difference(
  base: Environment,
  env: Environment,
): { readonly set: Environment; readonly unset: readonly string[] } {
  const set: Record<string, string> = {};
  for (const name in env) {
    const value = env[name];
    if (value !== undefined && base[name] !== value) set[name] = value;
  }
  return { set, unset: Object.keys(base).filter((name) => env[name] === undefined) };
}
