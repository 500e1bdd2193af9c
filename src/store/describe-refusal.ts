/** What the disk refuses is no bug of ours: it is said in words, with what can be done about it. */
import fs from 'node:fs';
import { dirname } from 'node:path';
import { errnoWords } from '../model/describe-failure.ts';
import { shellWord } from '../model/shell-word.ts';

const HELP: { readonly [code: string]: string } = {
  EROFS: 'work in a folder that can be written',
  ENOSPC: 'make room: `orchestrate clean --older-than 30d` removes old runs',
  EDQUOT: 'make room: `orchestrate clean --older-than 30d` removes old runs',
  ENOTDIR: 'move what stands in the way of that folder',
  EISDIR: 'move that folder: there should be a file',
  EMFILE: 'raise the limit: `ulimit -n 4096`',
  ENFILE: 'wait until less is open on this machine, then try again',
  EIO: 'see to the disk, then try again',
  ELOOP: 'to keep it on another disk, use a mount',
  EFTYPE: 'move it away: there should be a regular file',
  EOVERFLOW: 'move it away, or make it smaller',
  ENOTLOCK: 'move that file: it is not a lock of orchestrate',
};

export interface Refusal {
  readonly message: string;
  readonly help: string;
}

/** Undefined: the problem is none of these. */
export function describeRefusal(problem: unknown): Refusal | undefined {
  const { code: told, dest, path: from } = problem as NodeJS.ErrnoException & { readonly dest?: string };
  // Node's own word for a folder that it was to remove as a file.
  const code = told === 'ERR_FS_EISDIR' ? 'EISDIR' : told;
  // Of a file that was to take the place of another, that place is what the user knows.
  const path = dest ?? from;
  if (!(problem instanceof Error) || code === undefined) return undefined;
  // Of a file that is open already, the system does not say its name.
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

/** The outermost folder on the way that lets nobody in; else the path itself. */
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
  if (owner === undefined) return 'work as the user whose folder it lies in, or give permission';
  return owner === process.getuid?.()
    ? `it is yours: \`chmod u+rwX ${shellWord(path)}\` gives permission`
    : `\`${path}\` belongs to user ${owner}: work as that user, or give permission (\`ls -ld\` shows it)`;
}
