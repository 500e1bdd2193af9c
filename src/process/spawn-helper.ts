/**
 * The spawn helper for builds without a compiler for `spawn-helper.c`: a small process, so that
 * forking it is fast. It ends when its parent's pipe closes; its children continue, in sessions of their own, and are found by
 * their marks.
 */
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import { dirname } from 'node:path';
import { closeFile } from '../model/close-file.ts';
import { readMessages } from './helper-protocol.ts';
import { nativeIn } from './native.ts';
import { startTimeOf } from './process-table.ts';
import { createStamper } from './stamper.ts';

interface Start {
  readonly id: string;
  readonly cwd: string;
  readonly files: readonly string[];
  readonly stamp: string;
  readonly argv: readonly string[];
  readonly env: { readonly [name: string]: string };
}

const FLAGS = [
  fs.constants.O_RDONLY,
  fs.constants.O_WRONLY | fs.constants.O_APPEND | fs.constants.O_NOFOLLOW,
  fs.constants.O_WRONLY | fs.constants.O_APPEND | fs.constants.O_NOFOLLOW,
];

const stamper = createStamper(nativeIn(dirname(process.argv[1] ?? '')));

let base: { readonly [name: string]: string } = {};

function report(...words: readonly (string | number)[]): void {
  process.stdout.write(`${words.join(' ')}\n`);
}

function changed(env: { readonly [name: string]: string }, changes: readonly string[]) {
  const made: Record<string, string> = { ...env };
  for (const change of changes) {
    const end = change.indexOf('=');
    if (end === -1) delete made[change];
    else made[change.slice(0, end)] = change.slice(end + 1);
  }
  return made;
}

function readStart(fields: readonly string[]): Start {
  const [id = '', cwd = '', stdin = '', stdout = '', stderr = '', stamp = '', count = '', ...rest] = fields;
  const args = Number(count);
  return {
    id,
    cwd,
    files: [stdin, stdout, stderr],
    stamp,
    argv: rest.slice(0, args),
    env: changed(base, rest.slice(args)),
  };
}

function start(asked: Start): void {
  const descriptors: number[] = [];
  try {
    for (const [stream, path] of asked.files.entries()) {
      try {
        descriptors.push(fs.openSync(path, FLAGS[stream] ?? 0));
      } catch (error) {
        report('refused', asked.id, errorNumber(error), stream);
        return;
      }
    }
    spawnWith(asked, descriptors);
  } finally {
    for (const descriptor of descriptors) closeFile(descriptor);
  }
}

function spawnWith({ id, cwd, stamp, argv, env }: Start, stdio: readonly number[]): void {
  const [program = '', ...args] = argv;
  report('starting', id);
  try {
    const child = stamper(stamp, () => spawn(program, args, { cwd, env, stdio: [...stdio], detached: true }));
    child.on('error', (error) => report('refused', id, errorNumber(error)));
    const { pid } = child;
    if (pid === undefined) return;
    report('started', id, pid, startTimeOf(pid));
    child.on('exit', (code, signal) =>
      signal === null
        ? report('exited', id, code ?? 1)
        : report('exited', id, '-', os.constants.signals[signal]),
    );
  } catch (error) {
    report('refused', id, errorNumber(error));
  }
}

function errorNumber(error: unknown): number {
  return Math.abs((error as NodeJS.ErrnoException).errno ?? os.constants.errno.EINVAL);
}

process.stdin.on(
  'data',
  readMessages(([type, ...fields]) => {
    if (type === 'environment') base = changed({}, fields);
    else start(readStart(fields));
  }),
);
process.stdin.on('end', () => process.exit(0));
process.stdin.on('error', () => process.exit(0));
process.stdout.on('error', () => process.exit(0));
report('ready');
