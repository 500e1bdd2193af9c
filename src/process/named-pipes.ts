/**
 * Pipes for the output of a child. What Node calls a pipe is a socket, and on Linux a socket cannot be opened by name: a script that
 * prints to `/dev/stderr` would fail just because its output is watched. So these are named pipes, whose names are removed
 * before the child starts.
 *
 * Creating them takes a process, as long as starting the child, so they are created in batches of growing size, and
 * unused ones stay open for the next child.
 */
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { closeFile } from '../model/close-file.ts';

export interface NamedPipe {
  readonly output: Readable;
  /** The child's end; the caller closes it once the child has started. */
  readonly end: number;
}

interface OpenPipe {
  readonly own: number;
  readonly end: number;
}

const LARGEST_BATCH = 32;

const spare: OpenPipe[] = [];
let batch = 0;

/** Undefined if the system has none: then Node's own are used. */
export async function openNamedPipes(count: number): Promise<readonly NamedPipe[] | undefined> {
  if (process.platform !== 'linux') return undefined;
  if (spare.length < count) {
    batch = Math.min(LARGEST_BATCH, Math.max(count, 2 * batch));
    spare.push(...(await makePipes(batch)));
  }
  if (spare.length < count) return undefined;
  return spare.splice(-count).map(({ own, end }) => ({
    output: new Socket({ fd: own, readable: true, writable: false }),
    end,
  }));
}

/** Empty if one of them cannot be created. */
async function makePipes(count: number): Promise<readonly OpenPipe[]> {
  let folder: string | undefined;
  const opened: OpenPipe[] = [];
  try {
    const made = fs.mkdtempSync(join(tmpdir(), 'orchestrate-pipes-'));
    folder = made;
    const paths = Array.from({ length: count }, (_, i) => join(made, String(i)));
    if (!(await succeeds('mkfifo', ['-m', '600', ...paths]))) return [];
    for (const path of paths) opened.push(openPipe(path));
    return opened;
  } catch {
    for (const { own, end } of opened) {
      closeFile(own);
      closeFile(end);
    }
    return [];
  } finally {
    if (folder !== undefined) fs.rmSync(folder, { recursive: true, force: true });
  }
}

/** A named pipe can be opened for writing only while it is open for reading. */
function openPipe(path: string): OpenPipe {
  const { O_NONBLOCK, O_RDONLY, O_WRONLY } = fs.constants;
  const own = fs.openSync(path, O_RDONLY | O_NONBLOCK);
  try {
    return { own, end: fs.openSync(path, O_WRONLY) };
  } catch (cause) {
    closeFile(own);
    throw cause;
  }
}

function succeeds(program: string, args: readonly string[]): Promise<boolean> {
  return new Promise((resolve) => {
    const child = spawn(program, args, { stdio: 'ignore' });
    child.once('error', () => resolve(false));
    child.once('exit', (code) => resolve(code === 0));
  });
}
