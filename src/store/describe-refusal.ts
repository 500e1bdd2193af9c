/** Expected file system errors are not bugs: they are explained, with what to do about them. */
import fs from 'node:fs';
import { dirname } from 'node:path';
import { errnoWords } from '../model/describe-failure.ts';
import { shellWord } from '../model/shell-word.ts';

const HELP: { readonly [code: string]: string } = {
  EROFS: 'use a folder that is writable',
  ENOSPC: 'free some space: `orchestrate clean --older-than 30d` removes old runs',
  EDQUOT: 'free some space: `orchestrate clean --older-than 30d` removes old runs',
  ENOTDIR: 'move the file that is in the place of that folder',
  EISDIR: 'move that folder: a file belongs there',
  EMFILE: 'raise the limit: `ulimit -n 4096`',
  ENFILE: 'wait until fewer files are open on this machine, then try again',
  EIO: 'check the disk, then try again',
  ELOOP: 'to keep it on another disk, use a mount',
  EFTYPE: 'move it away: a regular file belongs there',
  EOVERFLOW: 'move it away, or make it smaller',
  ENOTLOCK: 'move that file: it is not a lock of orchestrate',
};

export interface Refusal {
  readonly message: string;
  readonly help: string;
}

/** Undefined if the problem is not one of these. */
export function describeRefusal(problem: unknown): Refusal | undefined {
  const { code: given, dest, path: from } = problem as NodeJS.ErrnoException & { readonly dest?: string };
  // Node's own code when a folder is removed as a file.
  const code = given === 'ERR_FS_EISDIR' ? 'EISDIR' : given;
  // If a file was to replace another, the user knows the name of the other.
  const path = dest ?? from;
  if (!(problem instanceof Error) || code === undefined) return undefined;
  // For a file that is already open, the system does not report its name.
  if (typeof path !== 'string') {
    const known = HELP[code];
    return known === undefined ? undefined : { message: errnoWords(code), help: known };
  }
  if (code === 'EACCES' || code === 'EPERM') {
    return { message: `\`${path}\`: ${errnoWords(code)}`, help: permissionHelp(closedPart(path)) };
  }
  const help = HELP[code];
  return help === undefined ? undefined : { message: `\`${path}\`: ${errnoWords(code)}`, help };
}

/** The outermost folder on the path without access; otherwise the path itself. */
function closedPart(path: string): string {
  const above: string[] = [];
  for (let at = dirname(path); at !== dirname(at); at = dirname(at)) above.unshift(at);
  return above.find((folder) => !canEnter(folder)) ?? path;
}

function canEnter(folder: string): boolean {
  try {
    fs.accessSync(folder, fs.constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function permissionHelp(path: string): string {
  const owner = fs.lstatSync(path, { throwIfNoEntry: false })?.uid;
  if (owner === undefined) return 'use the account that owns the folder, or grant permission';
  return owner === process.getuid?.()
    ? `it is yours: \`chmod u+rwX ${shellWord(path)}\` grants permission`
    : `\`${path}\` belongs to user ${owner}: use that account, or grant permission (\`ls -ld\` shows it)`;
}
