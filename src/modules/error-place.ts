/** Where in the user's files an error is that Node threw while it loaded them. */
import { spawnSync } from 'node:child_process';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { SourceFile, SourceRange } from '../model/source.ts';
import type { ImportGraph } from './import-graph.ts';
import { stripTypeScriptTypes } from './node-module.ts';
import { stripperOf } from './strippers.ts';

export interface Loading {
  readonly workspace: string;
  /** The file that was to be loaded, and its address. */
  readonly path: string;
  readonly url: string;
  readonly graph: ImportGraph;
}

export interface Place {
  readonly path: string;
  /** 1-based. */
  readonly line: number;
  /** 0-based, in UTF-16 units, and how many; the whole line if omitted. */
  readonly column?: number;
  readonly width?: number;
}

/** Node puts the place of some errors before their stack: `file:///x.mjs:2`, lines of the file, and a line with carets. */
export function placeIn(stack: string): Place | undefined {
  const found = /^(\S.*?):(\d+)\n([\s\S]*?)(?:\n\n|\n\w*Error)/.exec(stack);
  if (found === null) return undefined;
  const [, path = '', line = '1', lines = ''] = found;
  const carets = lines
    .split('\n')
    .map((each) => /^([ \t]*)(\^+)$/.exec(each))
    .find((each) => each !== null && each !== undefined);
  return {
    path: pathIn(path),
    line: Number(line),
    ...(carets ? { column: carets[1]?.length ?? 0, width: carets[2]?.length ?? 1 } : {}),
  };
}

/** Others only say what is wrong. Then Node is asked about each file that was read, the last one first. Nothing of them is run. */
export function findSyntaxError({ graph, url }: Loading): Place | undefined {
  for (const each of [...graph.reachedFrom(url)].reverse()) {
    const bytes = graph.bytesOf(each);
    const path = fileURLToPath(each);
    if (bytes === undefined || !/\.[cm]?[jt]s$/.test(path)) continue;
    const text = Buffer.from(bytes).toString('utf8');
    const isTyped = /\.m?ts$/.test(path) && stripTypeScriptTypes !== undefined;
    const input = isTyped ? stripperOf({ type: 'node' }).strip(text, each) : text;
    const type = path.endsWith('.cjs') ? 'commonjs' : 'module';
    const checked = spawnSync(process.execPath, ['--check', `--input-type=${type}`, '-'], {
      ...{ input, encoding: 'utf8', env: {} },
    });
    const place = checked.status === 0 ? undefined : placeIn(checked.stderr);
    if (place !== undefined) return { ...place, path };
  }
  return undefined;
}

/** The innermost place of the stack in a file of the workflow. */
export function frameIn({ graph, url }: Loading, stack: string): Place | undefined {
  const files = new Set(graph.reachedFrom(url).map((each) => fileURLToPath(each)));
  for (const [, address = '', line, column] of stack.matchAll(/((?:file:\/\/)?\/[^\s()]+?):(\d+):(\d+)/g)) {
    const path = pathIn(address);
    if (files.has(path)) return { path, line: Number(line), column: Number(column) - 1, width: 1 };
  }
  return undefined;
}

/** The import statement that names it: the package, or the file by its last name. */
export function placeOfSpecifier(
  path: string,
  text: string,
  wanted: string,
  isPackage: boolean,
): Place | undefined {
  const name = isPackage ? wanted : (wanted.split('/').at(-1) ?? wanted);
  for (const [index, line] of text.split('\n').entries()) {
    for (const { 2: specifier = '', index: at } of line.matchAll(/(['"])([^'"]+)\1/g)) {
      const isIt = isPackage
        ? specifier === name || specifier.startsWith(`${name}/`)
        : specifier.endsWith(name);
      if (isIt) return { path, line: index + 1, column: at, width: specifier.length + 2 };
    }
  }
  return undefined;
}

export function rangeOf(file: SourceFile, { line, column, width }: Place): SourceRange {
  const lines = file.text.split('\n');
  const text = lines[line - 1] ?? '';
  const lineStart = lines.slice(0, line - 1).reduce((sum, each) => sum + each.length + 1, 0);
  const from = column ?? text.length - text.trimStart().length;
  const start = lineStart + from;
  return {
    file,
    start,
    end: Math.max(start, lineStart + Math.min(text.length, from + (width ?? text.length))),
  };
}

export function pathIn(address: string): string {
  return address.startsWith('file:') ? fileURLToPath(address) : fileURLToPath(pathToFileURL(address));
}
