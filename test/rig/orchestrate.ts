/** The real binary in a workspace of its own. */
import { type ChildProcess, spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import type { RunState, StepState } from '../../src/model/run-state.ts';
import { temporaryFolder, writeFiles } from './temporary-folder.ts';

/** Another build can be tested, such as an installed package. */
export const BINARY =
  process.env['ORCHESTRATE_BINARY'] ??
  path.join(path.dirname(fileURLToPath(import.meta.url)), '..', '..', 'bin', 'orchestrate.js');

export interface Ended {
  readonly exitCode: number | null;
  readonly signal: string | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Started {
  readonly child: ChildProcess;
  readonly pid: number;
  readonly ended: Promise<Ended>;
}

export interface StartOptions {
  readonly env?: { readonly [name: string]: string };
  readonly binary?: string;
  /** The Node that runs it; default: that of the tests. */
  readonly node?: string;
  /** Standard input; default: empty. */
  readonly input?: string;
  /** Prefix of its command line, such as `unshare --mount`. */
  readonly via?: readonly string[];
  /** Subfolder to start in; default: the workspace itself. */
  readonly in?: string;
  /** Run as another user; needs root. */
  readonly uid?: number;
}

export class Workspace {
  readonly folder: string;

  constructor(files: { readonly [path: string]: string } = {}) {
    this.folder = temporaryFolder();
    this.write(files);
  }

  write(files: { readonly [path: string]: string }): void {
    writeFiles(this.folder, files);
  }

  read(name: string): string {
    return fs.readFileSync(path.join(this.folder, name), 'utf8');
  }

  has(name: string): boolean {
    return fs.existsSync(path.join(this.folder, name));
  }

  remove(name: string): void {
    fs.rmSync(path.join(this.folder, name), { recursive: true });
  }

  /** Names below a folder of the workspace, sorted; empty if there is no such folder. */
  list(name: string): readonly string[] {
    const folder = path.join(this.folder, name);
    if (!fs.existsSync(folder)) return [];
    return fs.readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort();
  }

  start(argv: readonly string[], options: StartOptions = {}): Started {
    const [program = '', ...args] = [
      ...(options.via ?? []),
      ...[options.node ?? process.execPath, options.binary ?? BINARY, ...argv],
    ];
    const child = spawn(program, args, {
      cwd: path.join(this.folder, options.in ?? ''),
      // In a session of its own: it must not find the terminal that the tests may run in.
      detached: true,
      env: {
        PATH: process.env['PATH'] ?? '',
        HOME: this.folder,
        XDG_CACHE_HOME: process.env['XDG_CACHE_HOME'] ?? '',
        GIT_CONFIG_NOSYSTEM: '1',
        ...options.env,
      },
      stdio: [options.input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
      ...(options.uid === undefined ? {} : { uid: options.uid, gid: options.uid }),
    });
    child.stdin?.end(options.input);
    const out: Buffer[] = [];
    const err: Buffer[] = [];
    child.stdout?.on('data', (chunk: Buffer) => out.push(chunk));
    child.stderr?.on('data', (chunk: Buffer) => err.push(chunk));
    const ended = new Promise<Ended>((resolve, reject) => {
      child.once('error', reject);
      child.once('close', (exitCode, signal) =>
        resolve({
          exitCode,
          signal,
          stdout: Buffer.concat(out).toString('utf8'),
          stderr: Buffer.concat(err).toString('utf8'),
        }),
      );
    });
    onTestFinished(async () => {
      if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL');
      await ended.catch(() => {});
      killThoseIn(this.folder);
    });
    return { child, pid: child.pid ?? 0, ended };
  }

  run(argv: readonly string[], options: StartOptions = {}): Promise<Ended> {
    return this.start(argv, options).ended;
  }

  /** Ids of the runs, oldest first. */
  runs(): readonly string[] {
    const folder = path.join(this.folder, '.orchestrate', 'runs');
    return fs.existsSync(folder) ? fs.readdirSync(folder).filter(isVisible).sort() : [];
  }

  runFolder(runId?: string): string {
    const id = runId ?? this.runs().at(-1);
    if (id === undefined) throw new Error('there is no run');
    return path.join(this.folder, '.orchestrate', 'runs', id);
  }

  /** A run exists before its view does. */
  hasState(runId?: string): boolean {
    return fs.existsSync(path.join(this.runFolder(runId), 'state.json'));
  }

  state(runId?: string): RunState {
    return JSON.parse(fs.readFileSync(path.join(this.runFolder(runId), 'state.json'), 'utf8'));
  }

  /** A step at the top level of the newest run, or of the given one. */
  step(name: string, runId?: string): StepState {
    const found = this.state(runId).steps[name];
    if (found === undefined || Array.isArray(found)) throw new Error(`state.json has no step \`${name}\``);
    return found;
  }

  /** The iterations of a `for_each` at the top level. */
  iterations(name: string, runId?: string): readonly { readonly [step: string]: StepState }[] {
    const found = this.state(runId).steps[name];
    if (!Array.isArray(found)) throw new Error(`state.json has no loop \`${name}\``);
    return found as { [step: string]: StepState }[];
  }

  /** The current contents of the journal; empty if the run has not started to write it. */
  journal(runId?: string): readonly { readonly type: string; readonly key?: string }[] {
    const file = path.join(this.runFolder(runId), 'journal.jsonl');
    if (!fs.existsSync(file)) return [];
    const lines = fs.readFileSync(file, 'utf8').split('\n').slice(1, -1);
    return lines.map((line) => JSON.parse(line));
  }
}

function isVisible(name: string): boolean {
  return !name.startsWith('.');
}

/** Waits for an action of another process; the test's own time limit ends it. */
export async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 5));
}

/** How often a command of the test really ran: each run adds one line to the file. */
export function countOf(workspace: Workspace, file: string): number {
  return workspace.has(file) ? workspace.read(file).split('\n').length - 1 : 0;
}

/** Kills processes that a failed test may have left running in its workspace. */
export function killThoseIn(folder: string): void {
  for (const pid of fs.readdirSync('/proc')) {
    if (!/^\d+$/.test(pid)) continue;
    try {
      const place = fs.readlinkSync(`/proc/${pid}/cwd`);
      if (place === folder || place.startsWith(`${folder}/`)) process.kill(Number(pid), 'SIGKILL');
    } catch {
      // Ended meanwhile, or owned by another user.
    }
  }
}
