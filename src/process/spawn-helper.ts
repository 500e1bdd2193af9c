/**
 * The program of the spawn helper: a process with nothing in it, so that forking it is quick. It ends when its parent's pipe
 * closes; its children go on, in sessions of their own, and are found by their mark.
 */
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import { errorCode } from './file-failure.ts';
import { type FromHelper, readLines, type StartMessage, type ToHelper } from './helper-protocol.ts';
import { processStartTime } from './process-table.ts';

let base: { readonly [name: string]: string } = {};

function tell(message: FromHelper): void {
  process.stdout.write(`${JSON.stringify(message)}\n`);
}

function start(message: StartMessage): void {
  const { id } = message;
  const descriptors: number[] = [];
  const open = (path: string, flags: number): boolean => {
    try {
      descriptors.push(fs.openSync(path, flags));
      return true;
    } catch (error) {
      tell({ type: 'refused', id, code: errorCode(error), path });
      return false;
    }
  };
  const append = fs.constants.O_WRONLY | fs.constants.O_APPEND;
  try {
    if (
      open(message.stdin, fs.constants.O_RDONLY) &&
      open(message.stdout, append) &&
      open(message.stderr, append)
    ) {
      spawnWith(message, descriptors);
    }
  } finally {
    for (const descriptor of descriptors) fs.closeSync(descriptor);
  }
}

function spawnWith(message: StartMessage, stdio: readonly number[]): void {
  const { id } = message;
  const env: Record<string, string> = { ...base, ...message.set };
  for (const name of message.unset) delete env[name];
  try {
    const [program = '', ...args] = message.argv;
    tell({ type: 'starting', id });
    const child = spawn(program, args, { cwd: message.cwd, env, stdio: [...stdio], detached: true });
    child.on('error', (error) => tell({ type: 'refused', id, code: errorCode(error) }));
    const { pid } = child;
    if (pid === undefined) return;
    tell({ type: 'started', id, pid, startTime: processStartTime(pid) ?? '' });
    child.on('exit', (code, signal) => tell({ type: 'exited', id, exit: { code, signal } }));
  } catch (error) {
    tell({ type: 'refused', id, code: errorCode(error) });
  }
}

process.stdin.setEncoding('utf8');
process.stdin.on(
  'data',
  readLines((line) => {
    const message = JSON.parse(line) as ToHelper;
    if (message.type === 'environment') base = message.env;
    else start(message);
  }),
);
process.stdin.on('end', () => process.exit(0));
process.stdin.on('error', () => process.exit(0));
process.stdout.on('error', () => process.exit(0));
tell({ type: 'ready' });
