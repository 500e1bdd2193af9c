/** The product as a suite sees it: its real binary, in a folder for the point. */
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';

export interface Started {
  readonly pid: number;
  readonly ended: Promise<Ended>;
}

export interface Ended {
  readonly exitCode: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface ProgramCall {
  readonly root: string;
  /** The workspace; also HOME. */
  readonly folder: string;
  readonly argv: readonly string[];
  /** The complete environment except PATH, HOME and what hides the machine's git settings. */
  readonly env?: Readonly<Record<string, string>>;
  readonly stdin?: string;
  /** Prefix of its command line, such as `unshare --mount`. */
  readonly via?: readonly string[];
  /** Kills it with SIGKILL. */
  readonly signal: AbortSignal;
  readonly program?: 'orchestrate' | 'claude-iterate';
}

export function startProgram(call: ProgramCall): Started {
  const binary = path.join(call.root, 'bin', `${call.program ?? 'orchestrate'}.js`);
  const [program = '', ...args] = [...(call.via ?? []), process.execPath, binary, ...call.argv];
  const child = spawn(program, args, {
    cwd: call.folder,
    env: {
      PATH: process.env['PATH'] ?? '',
      HOME: call.folder,
      XDG_CACHE_HOME: process.env['XDG_CACHE_HOME'] ?? '',
      GIT_CONFIG_NOSYSTEM: '1',
      ...call.env,
    },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  const out: Buffer[] = [];
  const err: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => out.push(chunk));
  child.stderr.on('data', (chunk: Buffer) => err.push(chunk));
  // A killed program does not read its input.
  child.stdin.on('error', () => {});
  child.stdin.end(call.stdin ?? '');
  const kill = (): void => {
    child.kill('SIGKILL');
  };
  call.signal.addEventListener('abort', kill, { once: true });
  const ended = new Promise<Ended>((resolve, reject) => {
    child.once('error', reject);
    // Its children may keep its pipes open, so its own exit counts. The output of a killed one is not awaited.
    child.once('exit', (exitCode, signal) => {
      call.signal.removeEventListener('abort', kill);
      const give = (): void => {
        clearTimeout(timer);
        resolve({ exitCode, signal, stdout: text(out), stderr: text(err) });
      };
      const timer = setTimeout(
        () => {
          child.stdout.destroy();
          child.stderr.destroy();
          give();
        },
        signal === null ? 2000 : 0,
      );
      child.once('close', give);
    });
  });
  return { pid: child.pid ?? 0, ended };
}

export function runProgram(call: ProgramCall): Promise<Ended> {
  return startProgram(call).ended;
}

/** Processes that work in a folder, or were started with it as HOME. */
export function processesIn(folder: string): readonly number[] {
  const inside = (place: string): boolean => place === folder || place.startsWith(`${folder}/`);
  return fs
    .readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        if (/^State:\s+[ZX]/m.test(fs.readFileSync(`/proc/${pid}/status`, 'utf8'))) return false;
        if (inside(fs.readlinkSync(`/proc/${pid}/cwd`))) return true;
        return fs.readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0').includes(`HOME=${folder}`);
      } catch {
        return false;
      }
    })
    .map(Number);
}

function text(chunks: readonly Buffer[]): string {
  return Buffer.concat(chunks).toString('utf8');
}
