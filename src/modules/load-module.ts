/**
 * Loads a workflow that is written in TypeScript or JavaScript: a module of the user, with everything that it imports. Loading runs the code
 * at its top level. What it exports is up to the caller.
 */
import fs from 'node:fs';
import { join, relative, resolve, sep } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { defined } from '../model/defined.ts';
import { errnoWords } from '../model/describe-failure.ts';
import type { Diagnostic } from '../model/diagnostic.ts';
import { error, ok, type Result } from '../model/result.ts';
import { sha256 } from '../model/sha256.ts';
import { errnoOf } from '../store/errno.ts';
import { readForeignBytes } from '../store/read-foreign.ts';
import { isInside } from '../store/relative-path.ts';
import { type Entry, specifierOf } from './hooks.ts';
import { ImportGraph } from './import-graph.ts';
import { type Catch, installHooks } from './install-hooks.ts';
import { describeLoadProblem, needsTypeScript } from './load-problem.ts';
import { findStripper } from './strippers.ts';

export interface ModuleToLoad {
  /** Absolute real path. */
  readonly workspace: string;
  /** Absolute, or relative to the workspace. */
  readonly file: string;
  /** Absolute path of a folder with copies of the files, by their paths in the workspace: they are loaded instead. */
  readonly copies?: string;
}

export interface LoadedModule {
  readonly exports: { readonly [name: string]: unknown };
  /** The file and everything it imports inside the workspace, but nothing of `node_modules`. The file itself is the first. */
  readonly sources: readonly ModuleSource[];
}

export interface ModuleSource {
  /** Relative to the workspace, with `/`. */
  readonly file: string;
  /** SHA-256 of its bytes, in hex. */
  readonly digest: string;
  /** As they were loaded. */
  readonly bytes: Uint8Array;
}

export interface ModuleLoader {
  /** A file that has not changed since it was loaded is not loaded again. */
  load(asked: ModuleToLoad): Promise<Result<LoadedModule, readonly Diagnostic[]>>;
}

/** `import()` of a file that Node itself has loaded: in the program's own parts it does not work. */
export type ImportModule = (specifier: string) => Promise<unknown>;

export interface ModuleLoading {
  /** Folder of the built program. */
  readonly dist: string;
  readonly importModule: ImportModule;
}

type Outcome = Result<LoadedModule, readonly Diagnostic[]>;

interface Known {
  readonly generation: number;
  readonly outcome: Promise<Outcome>;
}

export function createModuleLoader({ dist, importModule }: ModuleLoading): ModuleLoader {
  const graph = new ImportGraph();
  const known = new Map<string, Known>();
  let catchUp: Catch | undefined;
  const load = async (asked: ModuleToLoad, path: string, generation: number): Promise<Outcome> => {
    const { workspace, copies } = asked;
    const stripper = findStripper(path);
    if (stripper === undefined && /\.m?ts$/.test(path))
      return error([needsTypeScript(relativeTo(workspace, asked.file))]);
    if (stripper?.type === 'esbuild') process.setSourceMapsEnabled(true);
    catchUp ??= installHooks(dist, graph);
    const entry: Entry = {
      ...{ url: pathToFileURL(path).href, generation },
      ...defined({ stripper }),
      ...(copies === undefined ? {} : { copies: { folder: copies, of: workspace } }),
    };
    const url = generation === 0 ? entry.url : `${entry.url}?generation=${generation}`;
    try {
      const exports = (await importModule(specifierOf(entry))) as LoadedModule['exports'];
      catchUp();
      return ok({ exports, sources: sourcesOf(asked, graph, url) });
    } catch (problem) {
      catchUp();
      return error([describeLoadProblem(problem, { ...asked, path, graph, url })]);
    }
  };
  return {
    async load(asked) {
      const path = pathOf(asked);
      if (path.type === 'error') return path;
      const before = known.get(path.value);
      const outcome = await before?.outcome;
      if (outcome?.type === 'ok' && isUnchanged(asked, outcome.value)) return outcome;
      // Another call may have begun meanwhile.
      const current = known.get(path.value);
      if (current !== before && current !== undefined) return current.outcome;
      const generation = before === undefined ? 0 : before.generation + 1;
      const begun = { generation, outcome: load(asked, path.value, generation) };
      known.set(path.value, begun);
      return begun.outcome;
    },
  };
}

function pathOf({ workspace, file, copies }: ModuleToLoad): Result<string, readonly Diagnostic[]> {
  const path = resolve(copies ?? workspace, copies === undefined ? file : relativeTo(workspace, file));
  try {
    const real = fs.realpathSync(path);
    if (fs.statSync(real).isFile()) return ok(real);
    return error([cannotRead(relativeTo(workspace, file), 'it is not a file')]);
  } catch (cause) {
    return error([cannotRead(relativeTo(workspace, file), errnoWords(errnoOf(cause)))]);
  }
}

function cannotRead(path: string, why: string): Diagnostic {
  return { code: 'module/cannot-read', severity: 'error', message: `cannot read \`${path}\`: ${why}`, path };
}

function relativeTo(workspace: string, path: string): string {
  return relative(workspace, resolve(workspace, path)).split(sep).join('/');
}

function sourcesOf(asked: ModuleToLoad, graph: ImportGraph, url: string): readonly ModuleSource[] {
  const root = asked.copies ?? asked.workspace;
  return graph
    .reachedFrom(url)
    .map((each) => ({ each, path: fileURLToPath(each) }))
    .filter(({ each, path }) => each === url || isInside(root, path) || isInside(asked.workspace, path))
    .map(({ each, path }) => {
      const bytes = graph.bytesOf(each) ?? readForeignBytes(path);
      const from = isInside(root, path) ? root : asked.workspace;
      return { file: relativeTo(from, path), digest: sha256(bytes), bytes };
    });
}

function isUnchanged({ workspace, copies }: ModuleToLoad, { sources }: LoadedModule): boolean {
  return sources.every(({ file, digest }) => {
    const places = copies === undefined ? [workspace] : [copies, workspace];
    const path = places.map((folder) => join(folder, file)).find((each) => fs.existsSync(each));
    return path !== undefined && sha256(readForeignBytes(path)) === digest;
  });
}
