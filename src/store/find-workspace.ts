/**
 * Finds the workspace of a command that is called in one of its subfolders: the nearest folder upwards that has `.orchestrate`, or the
 * folder in which the command keeps its state.
 *
 * S1 The current folder is always taken if it has one.
 * S2 The home folder, `/` and shared folders such as `/tmp` are never taken from below: a stray `.orchestrate` there would capture everything.
 * S3 The search does not leave the file system, and does not go above the home folder.
 * S4 A folder of another user is never taken: its files choose what runs.
 */
import fs from 'node:fs';
import os from 'node:os';
import { dirname, join } from 'node:path';

export interface WorkspaceSearch {
  /** Absolute real path of the current folder. */
  readonly folder: string;
  /** Files and folders, relative to a workspace, by which it is recognized. */
  readonly marks: readonly string[];
  home(): string;
  /** Undefined on systems without user ids. */
  readonly user: number | undefined;
}

export interface FoundWorkspace {
  /** The current folder if none was found. */
  readonly workspace: string;
  /** A workspace above that belongs to another user. */
  readonly foreign?: string;
}

export function findWorkspace(search: WorkspaceSearch): FoundWorkspace {
  const { folder, marks, user } = search;
  // S1
  if (marks.length === 0 || marks.some((mark) => statOf(join(folder, mark)) !== undefined))
    return { workspace: folder };
  const home = search.home();
  if (folder === home) return { workspace: folder };
  const device = statOf(folder)?.dev;
  for (let at = dirname(folder); ; at = dirname(at)) {
    const stat = statOf(at);
    // S2, S3
    if (at === home || at === dirname(at) || stat === undefined || stat.dev !== device)
      return { workspace: folder };
    const [found] = marks
      .flatMap((mark) => statOf(join(at, mark)) ?? [])
      .filter((mark) => !mark.isSymbolicLink());
    if (found === undefined || isShared(stat)) continue;
    // S4
    const isOwn = user === undefined || [stat, found].every((each) => each.uid === user);
    return isOwn ? { workspace: at } : { workspace: folder, foreign: at };
  }
}

/** For the user of this process. */
export function workspaceFrom(folder: string, marks: readonly string[]): FoundWorkspace {
  return findWorkspace({ folder, marks, home: homeFolder, user: process.geteuid?.() });
}

function homeFolder(): string {
  const home = process.env['HOME'] || os.homedir();
  try {
    return fs.realpathSync(home);
  } catch {
    return home;
  }
}

/** Anybody may create files in it, and only its owner may remove them. */
function isShared({ mode }: fs.Stats): boolean {
  return (mode & 0o1000) !== 0;
}

/** Describes the entry itself: a link is not followed. */
function statOf(path: string): fs.Stats | undefined {
  try {
    return fs.lstatSync(path, { throwIfNoEntry: false });
  } catch {
    // It cannot be looked at, so it is not ours.
    return undefined;
  }
}
