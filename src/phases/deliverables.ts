/**
 * Reads the deliverables and the context for the next phase from an agent's answer. Answers may be long and hostile: each line is read once, and
 * no regular expression here backtracks.
 */
import fs from 'node:fs';
import { isAbsolute, relative, resolve, sep } from 'node:path';
import { withoutTrailing } from '../model/trailing.ts';

/** The file system's clock may lag by this much. */
const CLOCK_MS = 20;
const MOST_PATHS = 200;
const LONGEST_CONTEXT = 4000;

const HEADING = /^[\s#*_>-]*deliverables[*_]*\s*:[*_]*/i;
const ITEM = /^(?:[-*+•]|\d+[.)])\s+(?:\[[ xX]\]\s+)?/;
const DONE = 'DONE|';
const CONTEXT = /^[\s#*_>-]*context for (?:the )?next(?: phase)?[*_]*\s*:[*_]*/i;
/** The characters of a path; `pathsOf` decides whether it is one. */
const RUN = /[\w.@~+/-]+/g;
/** The end of `.ts`, as in `a.ts-`. */
const ENDING = /\.\w+/g;

/** Bytes of an answer that are read: an agent reports at the end. */
const MOST_BYTES = 256 * 1024;
const MOST_BYTES_PER_UNIT = 3;

/** The last part of an answer, from the start of a line if it has one. */
export function lastPart(answer: string): string {
  if (answer.length * MOST_BYTES_PER_UNIT <= MOST_BYTES) return answer;
  const bytes = Buffer.from(answer);
  if (bytes.length <= MOST_BYTES) return answer;
  const last = bytes.subarray(-MOST_BYTES);
  return last.subarray(last.indexOf('\n') + 1).toString();
}

/** Items listed under `Deliverables:` or after `DONE|`, and files named in the text that changed since then. */
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
    for (const path of namedPaths(withoutFolder(answer, at.workspace))) if (changedSince(path, at)) add(path);
  }
  return [...found.values()];
}

/** The part of the answer meant for the next phase; otherwise the whole answer. */
export function contextIn(answer: string): string {
  const said = mentions(answer, 'context for') ? paragraphUnder(CONTEXT, answer) : '';
  const text = said === '' ? answer.trim() : said;
  return text.length > LONGEST_CONTEXT ? `${text.slice(0, LONGEST_CONTEXT)}…` : text;
}

/** Whether the file is in the workspace and was written at or after the time. */
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

/** A quick check first: compiling a case-insensitive expression costs a hook 0.3 ms. */
function mentions(answer: string, words: string): boolean {
  return answer.toLowerCase().includes(words);
}

/** From the heading to the first empty line. */
function paragraphUnder(heading: RegExp, answer: string): string {
  const paragraph: string[] = [];
  for (const line of answer.split('\n')) {
    const found = paragraph.length === 0 ? heading.exec(line)?.[0] : '';
    if (found === undefined) continue;
    if (paragraph.length > 0 && line.trim() === '') break;
    paragraph.push(line.slice(found.length));
  }
  return paragraph.join('\n').trim();
}

function listed(answer: string): readonly string[] {
  if (!mentions(answer, 'deliverables')) return [];
  const items: string[] = [];
  let isInside = false;
  for (const line of answer.split('\n')) {
    const said = line.trim();
    const heading = HEADING.exec(said)?.[0];
    const mark = ITEM.exec(said)?.[0];
    if (heading !== undefined) {
      isInside = true;
      for (const item of said.slice(heading.length).split(',')) items.push(bare(item));
    } else if (isInside && mark !== undefined) items.push(bare(said.slice(mark.length)));
    else if (said !== '') isInside = false;
  }
  return items.filter((item) => item !== '');
}

/** A folder such as `/home/me/My Work` cannot be told from the words around it. */
function withoutFolder(answer: string, folder: string): string {
  const isOneRun = folder.replace(RUN, '') === '';
  return isOneRun ? answer : answer.replaceAll(`${folder}${sep}`, '');
}

function namedPaths(answer: string): readonly string[] {
  const found = new Set<string>();
  for (const [run] of answer.matchAll(RUN)) {
    for (const path of pathsOf(run)) found.add(path.startsWith('./') ? path.slice(2) : path);
    if (found.size >= MOST_PATHS) break;
  }
  return [...found];
}

/** `src/a.ts.` → `src/a.ts`; for `a.ts-old` also `a.ts`, because a sentence may continue with a dash. */
function pathsOf(run: string): readonly string[] {
  const path = withoutTrailing(run, './');
  let end = 0;
  for (const { 0: ending, index } of path.matchAll(ENDING)) if (index > 0) end = index + ending.length;
  if (end === 0 && !path.includes('/')) return [];
  return end === 0 || end === path.length ? [path] : [path, path.slice(0, end)];
}

const MARKS = '`"\'*';

/** Removes surrounding marks: `` `a.py` `` → `a.py`. */
function bare(text: string): string {
  const said = text.trim();
  const inner = withoutTrailing(said, MARKS);
  let start = 0;
  while (start < said.length && MARKS.includes(said.charAt(start))) start += 1;
  if (start === 0 || said.length === 1 || inner.length === said.length) return said;
  return inner.slice(start).trim();
}

/** Makes a path inside the workspace relative to it; leaves everything else unchanged. */
export function inWorkspace(workspace: string, text: string): string {
  if (!isAbsolute(text)) return text.startsWith('./') ? text.replace(/^(?:\.\/)+(?=.)/, '') : text;
  if (!isBelow(workspace, text)) return text;
  return relative(workspace, text).split(sep).join('/');
}

function isBelow(workspace: string, path: string): boolean {
  return path.startsWith(workspace.endsWith(sep) ? workspace : workspace + sep);
}
