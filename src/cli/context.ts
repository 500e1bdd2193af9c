import fs from 'node:fs';
import type { Command } from 'commander';
import type { ImportModule } from '../operations/site.ts';
import { printableTalk } from '../report/text/printable.ts';
import { writeOut, writeTalk } from './standard-output.ts';

/** The process as every command sees it. Results go to stdout, messages to stderr. */
export interface CliContext {
  /** Absolute real path of the workspace: until `enterWorkspace` is called, the current folder. */
  workspace: string;
  /** Folder of the built program and its helper programs. */
  readonly dist: string;
  /** `import()` of modules of the user. */
  readonly importModule: ImportModule;
  /** Whether each stream gets colours: on a terminal, unless NO_COLOR or FORCE_COLOR says otherwise. */
  readonly color: { readonly stdout: boolean; readonly stderr: boolean };
  /** Prints results. A terminal gets them sanitized like `err`; a pipe or a file gets every byte. */
  out(text: string): void;
  /** Prints messages for people. Control characters in quoted text are removed; only colours reach the terminal. */
  err(text: string): void;
  /** Writes to stderr for a view that moves the cursor. The view sanitizes quoted text itself. */
  screen(text: string): void;
  /** The same on stdout, for a view that is the result. */
  display(text: string): void;
  readonly commands: CommandTable;
  /** Runs another command as if it had been typed, and returns its exit code. */
  call(argv: readonly string[]): Promise<number>;
  /** Exit code of the process; the last value set wins. */
  exitCode: number;
}

/** One file in `commands/`, imported only when its command is called. */
export interface CommandModule {
  /** Adds arguments, options, an example and the action, which sets `context.exitCode`. */
  define(command: Command, context: CliContext): void;
}

export interface CommandEntry {
  readonly summary: string;
  readonly group: string;
  /** Not listed by `--help`: only the program itself calls it. */
  readonly isHidden?: boolean;
  /** By which the workspace is recognized from a subfolder; default: its runs. */
  readonly marks?: readonly string[];
  load(): Promise<CommandModule>;
}

/** Every command of `orchestrate`, by name. */
export type CommandTable = { readonly [name: string]: CommandEntry };

export function createContext(
  { dist, importModule }: Pick<CliContext, 'dist' | 'importModule'>,
  { call, commands }: Pick<CliContext, 'call' | 'commands'>,
): CliContext {
  // Looked up lazily: creating terminal streams costs a third of the start-up time.
  const color = {
    get stdout() {
      return hasColor('stdout');
    },
    get stderr() {
      return hasColor('stderr');
    },
  };
  return {
    workspace: process.cwd(),
    dist,
    importModule,
    call,
    commands,
    color,
    out: (text) => void writeOut(Buffer.from(isTerminal(1) ? printableTalk(text, () => color.stdout) : text)),
    err: (text) => writeTalk(Buffer.from(printableTalk(text, () => color.stderr))),
    screen: (text) => writeTalk(Buffer.from(text)),
    display: (text) => void writeOut(Buffer.from(text)),
    exitCode: 0,
  };
}

/** Cheap, unlike `process.stdout`, which creates the stream. */
function isTerminal(fd: number): boolean {
  try {
    return fs.fstatSync(fd).isCharacterDevice();
  } catch {
    return false;
  }
}

/** `FORCE_COLOR` decides if it is set, as in Node itself. */
function hasColor(stream: 'stdout' | 'stderr'): boolean {
  const { FORCE_COLOR = '', NO_COLOR = '', TERM } = process.env;
  if (FORCE_COLOR !== '') return FORCE_COLOR !== '0' && FORCE_COLOR !== 'false';
  return NO_COLOR === '' && TERM !== 'dumb' && process[stream].isTTY === true;
}
