import fs from 'node:fs';
import type { Command } from 'commander';
import { printableTalk } from '../report/text/printable.ts';
import { writeOut, writeTalk } from './standard-output.ts';

/** What every command gets of its process. Results go to stdout, talk to stderr. */
export interface CliContext {
  /** Absolute real path of the current folder. */
  readonly workspace: string;
  /** Where the built program lies: its small helper programs stand beside it. */
  readonly dist: string;
  /** Colours on stderr and stdout: only on a terminal, and never with NO_COLOR. */
  readonly color: { readonly stdout: boolean; readonly stderr: boolean };
  /** Results. A terminal gets them as `err` does; a pipe or a file gets every byte. */
  out(text: string): void;
  /** Words for a person. Whatever they quote, an argument or a line of a file, nothing but colours reaches the terminal with them. */
  err(text: string): void;
  /** The same stream, for a view that moves the cursor. What it quotes, it makes printable itself. */
  screen(text: string): void;
  /** Another command, as if it had been typed. Its exit code. */
  call(argv: readonly string[]): Promise<number>;
  /** What the process will say when it ends; the last word counts. */
  exitCode: number;
}

/** One file in `commands/`, imported when its command is called. */
export interface CommandModule {
  /** Adds arguments, options, an example and the action, which sets `context.exitCode`. */
  define(command: Command, context: CliContext): void;
}

export function createContext(dist: string, call: CliContext['call']): CliContext {
  // Looked up when asked: the streams of a terminal cost a third of the start of the program.
  const color = {
    get stdout() {
      return hasColor(process.stdout);
    },
    get stderr() {
      return hasColor(process.stderr);
    },
  };
  return {
    workspace: process.cwd(),
    dist,
    call,
    color,
    out: (text) => void writeOut(Buffer.from(isTerminal(1) ? printableTalk(text, () => color.stdout) : text)),
    err: (text) => writeTalk(Buffer.from(printableTalk(text, () => color.stderr))),
    screen: (text) => writeTalk(Buffer.from(text)),
    exitCode: 0,
  };
}

/** A look at what it is costs nothing; making the stream of a terminal does. */
function isTerminal(fd: number): boolean {
  try {
    return fs.fstatSync(fd).isCharacterDevice();
  } catch {
    return false;
  }
}

function hasColor(stream: { readonly isTTY?: boolean }): boolean {
  return stream.isTTY === true && !process.env['NO_COLOR'] && process.env['TERM'] !== 'dumb';
}
