import fs from 'node:fs';
import os from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import { afterAll } from 'vitest';
import type { OpenFile, OutputRequest, ProcessEnd, ProcessRequest } from '../../src/process/request.ts';
import type { RunProcess } from '../../src/process/run-process.ts';
import { until } from '../rig/orchestrate.ts';

export interface Bench {
  readonly folder: string;
  path(name: string): string;
  read(name: string): string;
}

/** A temporary folder that is removed with the test file. */
export function createBench(): Bench {
  const folder = fs.mkdtempSync(join(os.tmpdir(), 'process-'));
  afterAll(() => fs.rmSync(folder, { recursive: true, force: true }));
  const path = (name: string): string => join(folder, name);
  return { folder, path, read: (name) => fs.readFileSync(path(name), 'utf8') };
}

/** Builds a program from a text whose imports start with `./src/`, and returns its path. */
export async function buildProgram(bench: Bench, name: string, contents: string): Promise<string> {
  const outfile = bench.path(name);
  await build({
    stdin: { contents, resolveDir: process.cwd() },
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    logLevel: 'error',
  });
  return outfile;
}

/** A plain request, changed by `overrides`. */
export function request(
  argv: readonly string[],
  overrides: Partial<Omit<ProcessRequest, 'stdout' | 'stderr'>> & {
    readonly stdout?: Partial<OutputRequest>;
    readonly stderr?: Partial<OutputRequest>;
  } = {},
): ProcessRequest {
  const output: OutputRequest = { files: [], headBytes: 1024 * 1024, tailBytes: 4096 };
  return {
    argv,
    cwd: os.tmpdir(),
    env: { PATH: process.env['PATH'] ?? '' },
    stdin: { type: 'none' },
    mask: [],
    signal: new AbortController().signal,
    graceMs: 2_000,
    ...overrides,
    stdout: { ...output, ...overrides.stdout },
    stderr: { ...output, ...overrides.stderr },
  };
}

/** A file open for writing while `use` runs. */
export async function withOpen<Value>(
  path: string,
  use: (file: OpenFile) => Promise<Value>,
  flags = 'w',
): Promise<Value> {
  const descriptor = fs.openSync(path, flags);
  try {
    return await use({ path, descriptor });
  } finally {
    fs.closeSync(descriptor);
  }
}

export function node(script: string, ...args: readonly string[]): readonly string[] {
  return [process.execPath, '-e', script, ...args];
}

export function bash(script: string): readonly string[] {
  return ['bash', '-c', script];
}

export function isAlive(pid: number): boolean {
  try {
    const stat = fs.readFileSync(`/proc/${pid}/stat`, 'utf8');
    return !/\) [ZX] /.test(stat);
  } catch {
    return false;
  }
}

/** The number a child wrote to a file, once it is complete. */
export async function pidIn(path: string): Promise<number> {
  await until(() => fs.existsSync(path) && fs.readFileSync(path, 'utf8').endsWith('\n'));
  return Number(fs.readFileSync(path, 'utf8'));
}

/** Runners for requests that must start, and for those that must not. */
export function runnersOf(runProcess: RunProcess) {
  return {
    async run(asked: ProcessRequest): Promise<Extract<ProcessEnd, { type: 'exited' }>> {
      const end = await runProcess(asked);
      if (end.type !== 'exited') throw new Error(`not started: ${JSON.stringify(end.failure)}`);
      return end;
    },
    async refused(asked: ProcessRequest): Promise<unknown> {
      const end = await runProcess(asked);
      return end.type === 'not-started' ? end.failure : end;
    },
  };
}
