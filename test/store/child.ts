import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

export interface ChildProgram {
  start(...parameters: readonly string[]): Child;
  remove(): void;
}

/** A real process of a small TypeScript program that reports what it does line by line. */
export interface Child {
  readonly pid: number;
  /** The next line it prints; undefined when it has ended. */
  line(): Promise<string | undefined>;
  tell(line: string): void;
  kill(): Promise<void>;
  /** Its exit code. */
  ended(): Promise<number | null>;
}

export async function buildChild(entry: string, importMetaUrl: string): Promise<ChildProgram> {
  const folder = mkdtempSync(join(tmpdir(), 'orchestrate-child-'));
  const outfile = join(folder, 'child.mjs');
  await build({
    entryPoints: [fileURLToPath(new URL(entry, importMetaUrl))],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
  });
  return {
    start: (...parameters) =>
      childOf(spawn(process.execPath, [outfile, ...parameters], { stdio: ['pipe', 'pipe', 'inherit'] })),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

function childOf(child: ChildProcess): Child {
  const { stdin, stdout, pid } = child;
  if (stdin === null || stdout === null || pid === undefined) throw new Error('cannot start the child');
  const lines = createInterface({ input: stdout })[Symbol.asyncIterator]();
  const exit = once(child, 'exit');
  stdin.on('error', () => {});
  return {
    pid,
    line: async () => {
      const { value, done } = await lines.next();
      return done ? undefined : value;
    },
    tell: (line) => void stdin.write(`${line}\n`),
    kill: async () => {
      child.kill('SIGKILL');
      await exit;
    },
    ended: async () => {
      stdin.end();
      const [code] = await exit;
      return code;
    },
  };
}
