/** What an agent's answer says that it made, and what it leaves for the next. */
import fs from 'node:fs';
import { isAbsolute, relative, resolve, sep } from 'node:path';

/** A clock of the file system may be this far behind. */
const CLOCK_MS = 20;
const MOST_PATHS = 200;
const LONGEST_CONTEXT = 4000;

const HEADING = /^[\s#*_>-]*deliverables[*_]*\s*:[*_]*\s*(.*)$/i;
const ITEM = /^\s*(?:[-*+•]|\d+[.)])\s+(?:\[[ xX]\]\s+)?(.+?)\s*$/;
const DONE = 'DONE|';
const CONTEXT =
  /^[\s#*_>-]*context for (?:the )?next(?: phase)?[*_]*\s*:[*_]*[ \t]*([\s\S]*?)(?:\n\s*\n|$(?![\s\S]))/im;
const PATH = /(?:[\w.@~+-]*\/)*[\w@~+-][\w.@~+-]*\.\w+|(?:[\w.@~+-]+\/)+[\w.@~+-]+/g;

/** Things listed under `Deliverables:`, behind `DONE|`, and files named in the text that changed since then. */
export function deliverablesIn(
  answer: string,
  at: { readonly workspace: string; readonly sinceMs: number },
): readonly string[] {
  const found = new Map<string, string>();
  const add = (text: string): void => {
    const known = resolve(at.workspace, text);
    if (text !== '' && !found.has(known)) found.set(known, inWorkspace(at.workspace, text));
  };
  for (const item of listed(answer)) add(item);
  for (const line of answer.includes(DONE) ? answer.split('\n') : []) {
    const said = line.trim();
    if (said.startsWith(DONE)) add(bare(said.slice(DONE.length)));
  }
  if (!Number.isNaN(at.sinceMs)) {
    for (const path of namedPaths(answer)) if (changedSince(path, at)) add(path);
  }
  return [...found.values()];
}

/** A part that says it is meant for the next phase; else the whole answer. */
export function contextIn(answer: string): string {
  const said = mentions(answer, 'context for') ? (CONTEXT.exec(answer)?.[1]?.trim() ?? '') : '';
  const text = said === '' ? answer.trim() : said;
  return text.length > LONGEST_CONTEXT ? `${text.slice(0, LONGEST_CONTEXT)}…` : text;
}

/** Whether the file was written at or after the time, and lies in the workspace. */
export function changedSince(
  path: string,
  at: { readonly workspace: string; readonly sinceMs: number },
): boolean {
  if (Number.isNaN(at.sinceMs)) return false;
  const whole = resolve(at.workspace, path);
  if (!isBelow(at.workspace, whole)) return false;
  try {
    const stat = fs.statSync(whole, { throwIfNoEntry: false });
    return stat?.isFile() === true && stat.mtimeMs >= at.sinceMs - CLOCK_MS;
  } catch {
    return false;
  }
}

/** Making ready an expression that ignores case takes longer than a look whether it is needed: 0.3 ms of a hook. */
function mentions(answer: string, words: string): boolean {
  return answer.toLowerCase().includes(words);
}

function listed(answer: string): readonly string[] {
  if (!mentions(answer, 'deliverables')) return [];
  const items: string[] = [];
  let isInside = false;
  for (const line of answer.split('\n')) {
    const heading = HEADING.exec(line)?.[1];
    const item = ITEM.exec(line)?.[1];
    if (heading !== undefined) {
      isInside = true;
      items.push(...heading.split(/,\s*/).map(bare));
    } else if (isInside && item !== undefined) items.push(bare(item));
    else if (line.trim() !== '') isInside = false;
  }
  return items.filter((item) => item !== '');
}

function namedPaths(answer: string): readonly string[] {
  const found = new Set<string>();
  // Not `matchAll`, which makes a long expression ready twice.
  answer.replace(PATH, (path) => {
    const bare = path.startsWith('./') ? path.slice(2) : path;
    if (found.size < MOST_PATHS) found.add(bare.endsWith('.') ? bare.replace(/\.+$/, '') : bare);
    return path;
  });
  return [...found];
}

const MARKS = '`"\'*';

/** Without the marks around it: `` `a.py` `` → `a.py`. */
function bare(text: string): string {
  const said = text.trim();
  if (said === '' || !MARKS.includes(said.charAt(0))) return said;
  return said.replace(/^[`"'*]+(.*?)[`"'*]+$/, '$1').trim();
}

/** A path inside is told relative to the workspace; everything else as it was said. */
export function inWorkspace(workspace: string, text: string): string {
  if (!isAbsolute(text)) return text.startsWith('./') ? text.replace(/^(?:\.\/)+(?=.)/, '') : text;
  if (!isBelow(workspace, text)) return text;
  return relative(workspace, text).split(sep).join('/');
}

function isBelow(workspace: string, path: string): boolean {
  return path.startsWith(workspace.endsWith(sep) ? workspace : workspace + sep);
}
