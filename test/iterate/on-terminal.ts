/** `claude-iterate`, or another binary, on a real terminal of 80 columns, created by `script`. */
import { spawn } from 'node:child_process';
import path from 'node:path';
import { onTestFailed, onTestFinished } from 'vitest';
import { Screen } from '../rig/screen.ts';
import { TerminalGrid } from '../rig/terminal-grid.ts';
import { CLAUDE_ITERATE, type Project } from './rig.ts';

const COLUMNS = 80;
const ROWS = 24;

export interface Terminal {
  /** The exit code. */
  readonly ended: Promise<number | null>;
  press(keys: string): void;
  /** All raw output. */
  text(): string;
  /** The visible screen, for output of this program only. */
  screen(): string;
  /** The visible screen, for output of any program. */
  cells(): string;
}

export interface TerminalOptions {
  readonly binary?: string;
  readonly env?: { readonly [name: string]: string };
  /** A command line for a shell with job control. */
  shell?(command: string): string;
}

export function onTerminal(
  project: Pick<Project, 'folder' | 'path' | 'elsewhere'>,
  argv: readonly string[],
  { binary = CLAUDE_ITERATE, env = {}, shell }: TerminalOptions = {},
): Terminal {
  const words = [process.execPath, binary, ...argv].join(' ');
  const line = shell === undefined ? `exec ${words}` : `set -m; ${shell(words)}`;
  const child = spawn('script', ['-qec', `stty cols ${COLUMNS} rows ${ROWS}; ${line}`, '/dev/null'], {
    cwd: project.folder,
    env: {
      PATH: project.path,
      HOME: project.folder,
      XDG_CACHE_HOME: process.env['XDG_CACHE_HOME'] ?? '',
      SHELL: '/bin/bash',
      TERM: 'xterm',
      TMPDIR: path.join(project.elsewhere, 'tmp'),
      ...env,
    },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  let written = '';
  const grid = new TerminalGrid(COLUMNS, ROWS);
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    written += chunk;
    grid.write(chunk);
  });
  const ended = new Promise<number | null>((resolve) => child.once('close', (code) => resolve(code)));
  onTestFailed(() => {
    process.stderr.write(`the terminal of \`${argv.join(' ')}\`:\n${grid.text}\n`);
  });
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await ended;
  });
  return {
    ended,
    press: (keys) => child.stdin.write(keys),
    text: () => written,
    cells: () => grid.text,
    screen() {
      const screen = new Screen(COLUMNS);
      // The last chunk may end inside an escape sequence.
      screen.write(written.replaceAll('\r\n', '\n').replace(/\u001b(?:\[[?\d]*)?$/, ''));
      return screen.text;
    },
  };
}
