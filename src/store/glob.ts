/**
 * Finds files of the workspace by pattern. Reads only folders that the pattern can reach, and none if it spells out the next name.
 *
 * G1 Results are regular files, relative to the workspace with `/`, sorted by their bytes.
 * G2 A link that stays inside the workspace is followed; one that leads outside is skipped. `**` follows no link to a
 *    folder, so there are no cycles.
 * G3 `node_modules`, `.git` and `.orchestrate` are entered only if the pattern spells out their name.
 */
import fs from 'node:fs';
import { join } from 'node:path';
import type { Failure } from '../model/failure.ts';
import { error, ok, type Result } from '../model/result.ts';
import { errnoOf } from './errno.ts';
import { type Pattern, parsePattern } from './glob-pattern.ts';
import { fileFailure, isInside } from './safe-path.ts';

export interface FindOptions {
  /** Stops after this many files, whichever are found first. */
  readonly limit?: number;
  /** Called with each folder, relative to the workspace, in which a change could change the result. */
  onFolder?(folder: string): void;
}

export function findFiles(
  workspace: string,
  pattern: string,
  options: FindOptions = {},
): Result<readonly string[], Failure> {
  const parsed = parsePattern(pattern);
  if (parsed.type === 'error') return parsed;
  try {
    const root = fs.realpathSync(workspace);
    const search: Search = {
      root,
      found: new Set(),
      limit: options.limit ?? Number.POSITIVE_INFINITY,
      onFolder: (folder) => options.onFolder?.(folder),
    };
    walk(search, '', atFolders(parsed.value.map((each) => ({ pattern: each, at: 0 }))));
    return ok(sortByBytes([...search.found]));
  } catch (cause) {
    return error(fileFailure('search', pattern, cause));
  }
}

export function sortByBytes(texts: string[]): string[] {
  // UTF-16 order is byte order except for characters beyond the first 65,536.
  return texts.some((text) => /[\ud800-\udfff]/.test(text))
    ? texts.sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)))
    : texts.sort();
}

const ENTERED_BY_NAME_ONLY: ReadonlySet<string> = new Set(['node_modules', '.git', '.orchestrate']);

interface Search {
  readonly root: string;
  readonly found: Set<string>;
  readonly limit: number;
  onFolder(folder: string): void;
}

/** The position in a pattern reached at a folder. */
interface State {
  readonly pattern: Pattern;
  readonly at: number;
}

/** `**` may match no folder at all: then the next segment applies in the same place. */
function atFolders(states: readonly State[]): readonly State[] {
  const all: State[] = [];
  const known = new Map<Pattern, Set<number>>();
  const add = (state: State): void => {
    const places = known.get(state.pattern) ?? new Set();
    if (places.has(state.at)) return;
    known.set(state.pattern, places.add(state.at));
    all.push(state);
    if (state.pattern[state.at]?.type === 'any-folders') add({ pattern: state.pattern, at: state.at + 1 });
  };
  states.forEach(add);
  return all;
}

function walk(search: Search, folder: string, states: readonly State[]): void {
  search.onFolder(folder);
  const open = states.filter(({ pattern, at }) => at < pattern.length);
  const spelled = open.map(({ pattern, at }) => pattern[at]);
  if (spelled.every((segment) => segment?.type === 'literal')) {
    const names = new Set(spelled.map((segment) => (segment?.type === 'literal' ? segment.name : '')));
    for (const name of names) visit(search, { folder, name, kind: undefined }, open);
    return;
  }
  for (const entry of entriesOf(join(search.root, folder))) {
    visit(search, { folder, name: entry.name, kind: kindOf(entry) }, open);
    if (search.found.size >= search.limit) return;
  }
}

type Kind = 'file' | 'folder' | 'link' | undefined;

interface Entry {
  readonly folder: string;
  readonly name: string;
  /** Undefined if it has to be looked up. */
  readonly kind: Kind;
}

function visit(search: Search, entry: Entry, states: readonly State[]): void {
  if (search.found.size >= search.limit) return;
  const { name } = entry;
  let isMatch = false;
  const onward: State[] = [];
  const throughFolders: State[] = [];
  for (const state of states) {
    const segment = state.pattern[state.at];
    const isLast = state.at === state.pattern.length - 1;
    if (segment?.type === 'any-folders') {
      if (name.startsWith('.')) continue;
      throughFolders.push(state);
      isMatch ||= isLast;
    } else if (segment?.type === 'literal' ? segment.name === name : segment?.matches(name)) {
      if (isLast) isMatch = true;
      else if (segment?.type === 'literal' || !ENTERED_BY_NAME_ONLY.has(name)) {
        onward.push({ pattern: state.pattern, at: state.at + 1 });
      }
    }
  }
  if (!isMatch && onward.length === 0 && throughFolders.length === 0) return;

  const path = entry.folder === '' ? name : `${entry.folder}/${name}`;
  const { kind, isLink } = resolveKind(search.root, path, entry.kind);
  if (kind === 'file' && isMatch) search.found.add(path);
  if (kind !== 'folder') return;
  if (!isLink && !ENTERED_BY_NAME_ONLY.has(name)) onward.push(...throughFolders);
  if (onward.length > 0) walk(search, path, atFolders(onward));
}

function resolveKind(root: string, path: string, known: Kind): { kind: Kind; isLink: boolean } {
  if (known === 'file' || known === 'folder') return { kind: known, isLink: false };
  try {
    const absolute = join(root, path);
    const isLink = known === 'link' || fs.lstatSync(absolute).isSymbolicLink();
    if (isLink && !isInside(root, fs.realpathSync(absolute))) return { kind: undefined, isLink };
    return { kind: kindOf(fs.statSync(absolute)), isLink };
  } catch (cause) {
    errnoOf(cause);
    return { kind: undefined, isLink: false };
  }
}

/** A folder that was removed or cannot be read has no files. */
function entriesOf(folder: string): readonly fs.Dirent[] {
  try {
    return fs.readdirSync(folder, { withFileTypes: true });
  } catch (cause) {
    errnoOf(cause);
    return [];
  }
}

function kindOf(entry: fs.Dirent | fs.Stats): Kind {
  if (entry.isFile()) return 'file';
  if (entry.isDirectory()) return 'folder';
  return entry.isSymbolicLink() ? 'link' : undefined;
}
