/** Whether a glob such as `infra/**` matches the file or folder of a tool call. */
import fs from 'node:fs';
import { basename, dirname, isAbsolute, join, relative, resolve } from 'node:path';
import type { JsonObject } from '../../model/json.ts';
import { expandBraces } from '../../store/expand-braces.ts';
import { matchesPattern } from '../../store/glob-pattern.ts';

export interface Place {
  /** Absolute: the folder that globs are relative to. */
  readonly root: string;
  /** Absolute: the folder that the agent works in. */
  readonly cwd: string;
  readonly home?: string;
}

/** The inputs of tools that name a file or a folder. */
const PATH_KEYS = ['file_path', 'notebook_path', 'path'] as const;

/** Absolute, as written and resolved. Undefined if the input names none. */
export function pathsOf(input: JsonObject, { cwd, home }: Place): readonly string[] | undefined {
  const given = PATH_KEYS.map((key) => input[key]).find((value) => typeof value === 'string');
  if (typeof given !== 'string' || given === '') return undefined;
  const whole = resolve(cwd, inHome(given, home));
  return [whole, realOf(whole)];
}

/** As written or as it resolves; a folder also if the glob is about something inside it. */
export function mayMatchPath(glob: string, paths: readonly string[], place: Place): boolean {
  return forms(paths, place).some((path) => matchesGlob(glob, path, place) || holds(path, glob, place));
}

export function allowsPath(glob: string, paths: readonly string[], place: Place): boolean {
  return paths.every((path) => matchesGlob(glob, path, place));
}

/** The workspace itself may be reached by a link. */
function forms(paths: readonly string[], { root }: Place): readonly string[] {
  const real = realOf(root);
  return paths.flatMap((path) => {
    const inside = relative(real, path);
    return inside.startsWith('..') || isAbsolute(inside) ? [path] : [path, join(root, inside)];
  });
}

function matchesGlob(glob: string, path: string, place: Place): boolean {
  const alternatives = expandBraces(absolute(glob, place));
  // The loader has checked it; one that cannot be read matches everything.
  if (alternatives.type === 'error') return true;
  return alternatives.value.some((each) => matchesPattern(named(each), named(path)));
}

/** A glob skips names that start with a dot. Here it does not: with a letter before each name, none does. */
function named(path: string): string {
  return path
    .split('/')
    .filter((name) => name !== '' && name !== '.')
    .map((name) => (name === '**' ? name : `x${name}`))
    .join('/');
}

/** Whether the glob is about something inside this folder. */
function holds(path: string, glob: string, place: Place): boolean {
  const fixed = absolute(glob, place).split(/[*?[{\\]/, 1)[0] ?? '';
  return fixed.startsWith(path.endsWith('/') ? path : `${path}/`) && isFolder(path);
}

function absolute(glob: string, { root, home }: Place): string {
  const whole = inHome(glob, home);
  return isAbsolute(whole) ? whole : `${root.replace(/[\\*?[\]{},]/g, '\\$&')}/${whole}`;
}

function inHome(path: string, home: string | undefined): string {
  return home !== undefined && (path === '~' || path.startsWith('~/')) ? `${home}${path.slice(1)}` : path;
}

function isFolder(path: string): boolean {
  return fs.statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

const MOST_LINKS = 40;

/** With all links resolved, also of a path that does not exist yet. */
function realOf(path: string, links = 0): string {
  try {
    return fs.realpathSync(path);
  } catch {
    if (path === dirname(path) || links > MOST_LINKS) return path;
    const target = linkAt(path);
    // A link to something that does not exist: writing to it creates that.
    if (target !== undefined) return realOf(resolve(dirname(path), target), links + 1);
    return join(realOf(dirname(path), links), basename(path));
  }
}

function linkAt(path: string): string | undefined {
  try {
    return fs.readlinkSync(path);
  } catch {
    return undefined;
  }
}
