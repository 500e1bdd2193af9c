/** `-C <folder>`, and the workspace of a command that is called in a subfolder of it. */
import { relative } from 'node:path';
import { type Command, InvalidArgumentError } from 'commander';
import { errnoWords } from '../model/describe-failure.ts';
import { shellWord } from '../model/shell-word.ts';
import { calledAs } from '../model/typed-command.ts';
import { workspaceFrom } from '../operations/workspaces/find-workspace.ts';
import type { CliContext } from './context.ts';
import { translatePaths } from './path-argument.ts';

/** Where the program was started, from the first `-C` on. */
let startedIn: string | undefined;

/** Several accumulate, as with git: each is relative to the one before. */
export function enterFolder(folder: string): string {
  startedIn ??= process.cwd();
  try {
    // As with git, an empty name changes nothing.
    if (folder !== '') changeTo(folder);
  } catch (problem) {
    throw new InvalidArgumentError(`${errnoWords((problem as NodeJS.ErrnoException).code ?? 'EIO')}`);
  }
  calledAs(programFrom(startedIn, process.cwd()));
  return folder;
}

/** With the `-C` that leads from one folder to the other. */
function programFrom(started: string, folder: string): string {
  const way = relative(started, folder);
  if (way === '') return 'orchestrate';
  return `orchestrate -C ${shellWord(way.startsWith('../..') ? folder : way)}`;
}

/** Called when all options are known. Afterwards the process is in the workspace, and paths in the arguments are relative to it. */
export function enterWorkspace(context: CliContext, called: Command, marks: readonly string[]): void {
  const folder = process.cwd();
  const { workspace, foreign } = workspaceFrom(folder, marks);
  context.workspace = workspace;
  if (foreign !== undefined)
    context.err(
      `note: ${foreign} belongs to another user and is not used; use \`-C ${foreign}\` to work there\n`,
    );
  if (workspace === folder) return;
  changeTo(workspace);
  translatePaths(called, { folder, workspace });
  if (called.opts()['quiet'] !== true) context.err(`workspace: ${workspace}\n`);
}

/** For completion: reports nothing. */
export function enterIfThere(folder: string): void {
  try {
    changeTo(folder);
  } catch {
    // The command itself reports it.
  }
}

/** The workspace of the current folder, which is not left. */
export function workspaceHere(marks: readonly string[]): string {
  return workspaceFrom(process.cwd(), marks).workspace;
}

function changeTo(folder: string): void {
  process.chdir(folder);
  process.env['PWD'] = process.cwd();
}
