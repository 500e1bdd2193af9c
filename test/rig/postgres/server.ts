/**
 * A real PostgreSQL server of a test: its own folder, port and password. fsync is off, since no test cuts the power; a commit still survives a kill of the
 * server. It runs as an ordinary user, which the program requires, and below a shell that ends it when the test process is gone.
 */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import fs from 'node:fs';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import pg from 'pg';
import type { PostgresPrograms } from './installed.ts';

const USER = 'orchestrate';
const LONGEST_START_MS = 60_000;

/** `$!` is the server. The end of its input means that the test process has ended or wants it to end. */
const UNTIL_INPUT_ENDS = 'folder=$1; shift; "$@" & echo $! > "$folder/pid"; read -r _; kill -INT $!; wait $!';

export class PostgresServer {
  readonly #folder: string;
  readonly #programs: PostgresPrograms;
  readonly #port: number;
  readonly #network: string | undefined;
  readonly #password = randomBytes(12).toString('hex');
  #shell: ChildProcess | undefined;

  private constructor(
    folder: string,
    programs: PostgresPrograms,
    { port, network }: { readonly port: number; readonly network: string | undefined },
  ) {
    this.#folder = folder;
    this.#programs = programs;
    this.#port = port;
    this.#network = network;
  }

  /** `network`: the file of a network namespace in which it listens, at every address of it. For root on Linux. */
  static async create(programs: PostgresPrograms, network?: string): Promise<PostgresServer> {
    const folder = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'orchestrate-postgres-')));
    const server = new PostgresServer(folder, programs, { port: await freePort(), network });
    try {
      await server.#initialize();
      await server.start();
    } catch (cause) {
      await server.remove();
      throw cause;
    }
    return server;
  }

  /** The address of a database; default: the one that every server has. A server in another network is reached by its socket. */
  url(database = 'postgres'): string {
    return this.urlAt(this.#network === undefined ? '127.0.0.1' : encodeURIComponent(this.#folder), database);
  }

  urlAt(host: string, database = 'postgres'): string {
    return `postgresql://${USER}:${this.#password}@${host}:${this.#port}/${database}`;
  }

  get isRunning(): boolean {
    return this.#shell !== undefined;
  }

  async #initialize(): Promise<void> {
    const secret = path.join(this.#folder, 'password');
    fs.writeFileSync(secret, this.#password, { mode: 0o600 });
    const owner = serverUser();
    if (owner.uid !== undefined && owner.gid !== undefined)
      for (const each of [this.#folder, secret]) fs.chownSync(each, owner.uid, owner.gid);
    const args = ['-D', path.join(this.#folder, 'data'), '-U', USER, '--pwfile', secret, '--no-sync'];
    const { initdb } = this.#programs;
    await promisify(execFile)(initdb, [...args, '--auth=scram-sha-256', '--encoding=UTF8', '--locale=C'], {
      ...owner,
      cwd: this.#folder,
    });
    if (this.#network !== undefined)
      fs.appendFileSync(path.join(this.#folder, 'data', 'pg_hba.conf'), 'host all all all scram-sha-256\n');
  }

  /** Resolves when it accepts connections. After a kill, processes of the old server may hold its memory for a moment. */
  async start(): Promise<void> {
    const giveUpAt = Date.now() + LONGEST_START_MS;
    while (this.#shell === undefined) {
      const log = fs.openSync(path.join(this.#folder, 'log'), 'w');
      const shell = this.#spawn(['sh', '-c', UNTIL_INPUT_ENDS, 'sh', this.#folder, ...this.#argv()], log);
      fs.closeSync(log);
      if (await this.#isReady(giveUpAt)) this.#shell = shell;
      else {
        await end(shell);
        if (Date.now() > giveUpAt)
          throw new Error(
            `PostgreSQL did not start:\n${fs.readFileSync(path.join(this.#folder, 'log'), 'utf8')}`,
          );
      }
    }
  }

  #spawn(argv: readonly string[], log: number): ChildProcess {
    const user = serverUser();
    const options = { cwd: this.#folder, stdio: ['pipe', log, log] as ['pipe', number, number] };
    const [program = '', ...args] = argv;
    if (this.#network === undefined) return spawn(program, args, { ...user, ...options });
    const there = [`--net=${this.#network}`, `--setuid=${user.uid}`, `--setgid=${user.gid}`];
    return spawn('nsenter', [...there, program, ...args], options);
  }

  #argv(): readonly string[] {
    const isElsewhere = this.#network !== undefined;
    const settings = {
      listen_addresses: isElsewhere ? '*' : '127.0.0.1',
      unix_socket_directories: isElsewhere ? this.#folder : '',
      fsync: 'off',
      full_page_writes: 'off',
      max_connections: '400',
    };
    const options = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
    return [
      this.#programs.postgres,
      '-D',
      path.join(this.#folder, 'data'),
      '-p',
      `${this.#port}`,
      ...options,
    ];
  }

  /** False if it ended. */
  async #isReady(giveUpAt: number): Promise<boolean> {
    while (Date.now() < giveUpAt) {
      try {
        await query(this.url(), 'select 1');
        return true;
      } catch {
        const pid = this.#pid();
        if (pid !== undefined && !isAlive(pid)) return false;
        await delay(20);
      }
    }
    return false;
  }

  #pid(): number | undefined {
    const file = path.join(this.#folder, 'pid');
    const text = fs.existsSync(file) ? fs.readFileSync(file, 'utf8') : '';
    return text.endsWith('\n') ? Number(text) : undefined;
  }

  /** SIGINT closes connections and ends; SIGKILL is a crash. `start` starts it again with its data, on the same port. */
  async stop(signal: 'SIGINT' | 'SIGKILL' = 'SIGINT'): Promise<void> {
    const shell = this.#shell;
    const pid = this.#pid();
    if (shell === undefined || pid === undefined) return;
    this.#shell = undefined;
    if (isAlive(pid)) process.kill(pid, signal);
    await end(shell);
    fs.rmSync(path.join(this.#folder, 'pid'), { force: true });
  }

  async remove(): Promise<void> {
    await this.stop();
    fs.rmSync(this.#folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** One statement on a connection of its own. */
export async function query(
  url: string,
  statement: string,
): Promise<readonly { readonly [column: string]: unknown }[]> {
  const client = new pg.Client({ connectionString: url });
  // A server that stops ends the connection, which the query reports as well.
  client.on('error', () => {});
  try {
    await client.connect();
    const { rows } = await client.query(statement);
    return rows;
  } finally {
    await client.end().catch(() => {});
  }
}

async function end(shell: ChildProcess): Promise<void> {
  if (shell.exitCode !== null || shell.signalCode !== null) return;
  const ended = once(shell, 'exit');
  shell.stdin?.end();
  await ended;
}

/** PostgreSQL refuses to run as root. */
function serverUser(): { readonly uid?: number; readonly gid?: number } {
  if (process.getuid?.() !== 0) return {};
  const users = fs
    .readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .map((line) => line.split(':'));
  const user = users.find(([name]) => name === 'postgres') ?? users.find(([name]) => name === 'nobody');
  if (user === undefined) throw new Error('PostgreSQL needs a user other than root, such as `nobody`');
  return { uid: Number(user[2]), gid: Number(user[3]) };
}

async function freePort(): Promise<number> {
  const server = net.createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('no free port');
  return address.port;
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
