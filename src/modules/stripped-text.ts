/**
 * The text of a TypeScript file without its types. Removing them takes the time of starting the stripper, 87 ms, so the result is kept in
 * the user's cache folder. Like the code cache (`bin/orchestrate.js`) it is code:
 *
 * T1 It is read only if the file and its folder belong to this user and are not writable by others; links are not followed.
 * T2 Its name is the digest of the source and the version of the stripper, its first line the digest of the rest: damage is noticed.
 * T3 If it cannot be read or written, the types are removed again, and nothing is said.
 * T4 Only the newest `MOST_FILES` are kept.
 */
import fs from 'node:fs';
import { dirname, join } from 'node:path';
import { sha256 } from '../model/sha256.ts';
import { replaceFile } from '../store/atomic-write.ts';
import { errnoOf } from '../store/errno.ts';
import { makeFolder } from '../store/make-folder.ts';
import { readPlainText } from '../store/plain-file.ts';
import { removeFile } from '../store/remove-file.ts';
import { userCacheFolder } from '../store/user-cache.ts';

export interface Stripper {
  readonly version: string;
  /** Keeps every line and column, or adds a source map. Throws for text that is not TypeScript, or that has to be compiled. */
  strip(source: string, name: string): string;
}

const MOST_FILES = 200;
const OUR_NAME = /^[0-9a-f]{64}\.js$/;
const OTHERS_MAY_WRITE = 0o022;

/** `name` is the address of the file. */
export function strippedText(source: string, name: string, { version, strip }: Stripper): string {
  const caches = userCacheFolder();
  const folder = caches === undefined ? undefined : join(caches, 'stripped');
  const file =
    folder === undefined ? undefined : join(folder, `${sha256(`${version}\0${name}\0${source}`)}.js`);
  const kept = file === undefined ? undefined : attempt(() => readKept(file));
  if (kept !== undefined) return kept;
  const text = strip(source, name);
  if (folder !== undefined && file !== undefined) attempt(() => keep(folder, file, text));
  return text;
}

/** T1, T2 */
function readKept(file: string): string | undefined {
  if (!isOurs(dirname(file)) || !isOurs(file)) return undefined;
  const whole = readPlainText(file);
  const end = whole.indexOf('\n');
  const text = whole.slice(end + 1);
  return whole.slice(0, end) === sha256(text) ? text : undefined;
}

function isOurs(path: string): boolean {
  const { uid, mode } = fs.lstatSync(path);
  return uid === process.geteuid?.() && (mode & OTHERS_MAY_WRITE) === 0;
}

function keep(folder: string, file: string, text: string): void {
  makeFolder(folder, 0o700);
  if (!isOurs(folder)) return;
  replaceFile(file, `${sha256(text)}\n${text}`, { mayBeLost: true });
  removeOldest(folder);
}

/** T4 */
function removeOldest(folder: string): void {
  const files = fs.readdirSync(folder).filter((name) => OUR_NAME.test(name));
  if (files.length <= MOST_FILES) return;
  const dated = files.map((name) => ({ name, at: fs.lstatSync(join(folder, name)).mtimeMs }));
  for (const { name } of dated.sort((a, b) => b.at - a.at).slice(MOST_FILES)) removeFile(join(folder, name));
}

/** T3 */
function attempt<Value>(action: () => Value): Value | undefined {
  try {
    return action();
  } catch (cause) {
    errnoOf(cause);
    return undefined;
  }
}
