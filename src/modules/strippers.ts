/** What removes the types of a TypeScript file: Node itself, or a package of the project: amaro or esbuild (which comes with tsx). */

import { unreachable } from '../model/unreachable.ts';
import { createRequire, stripTypeScriptTypes } from './node-module.ts';
import type { Stripper } from './stripped-text.ts';

/** As data, since hooks may run in a thread of their own. `path` is the package's main file. */
export type StripperChoice =
  | { readonly type: 'node' }
  | { readonly type: 'amaro'; readonly path: string }
  | { readonly type: 'esbuild'; readonly path: string };

const made = new Map<string, Stripper>();

export function stripperOf(choice: StripperChoice): Stripper {
  const name = choice.type === 'node' ? '' : choice.path;
  const stripper = made.get(name) ?? create(choice);
  made.set(name, stripper);
  return stripper;
}

/** Undefined if neither Node nor the project of this file has one. */
export function findStripper(file: string): StripperChoice | undefined {
  if (stripTypeScriptTypes !== undefined) return { type: 'node' };
  const amaro = resolveFrom(file, 'amaro');
  if (amaro !== undefined) return { type: 'amaro', path: amaro };
  const tsx = resolveFrom(file, 'tsx/package.json');
  const esbuild =
    resolveFrom(file, 'esbuild') ?? (tsx === undefined ? undefined : resolveFrom(tsx, 'esbuild'));
  return esbuild === undefined ? undefined : { type: 'esbuild', path: esbuild };
}

function resolveFrom(file: string, specifier: string): string | undefined {
  try {
    return createRequire(file).resolve(specifier);
  } catch {
    return undefined;
  }
}

function create(choice: StripperChoice): Stripper {
  switch (choice.type) {
    case 'node':
      return {
        version: `node ${process.versions['amaro']}`,
        strip: (source) => withoutWarning(() => stripTypeScriptTypes?.(source) ?? source),
      };
    case 'amaro':
      return amaroAt(choice.path);
    case 'esbuild':
      return esbuildAt(choice.path);
    default:
      return unreachable(choice);
  }
}

/** Node warns on every start that this is experimental. The text that it makes is checked by running it. */
function withoutWarning<Value>(action: () => Value): Value {
  const { emitWarning } = process;
  process.emitWarning = () => undefined;
  try {
    return action();
  } finally {
    process.emitWarning = emitWarning;
  }
}

interface Amaro {
  transformSync(source: string, options: { readonly mode: 'strip-only' }): { readonly code: string };
}

function amaroAt(path: string): Stripper {
  const { transformSync } = createRequire(path)(path) as Amaro;
  return {
    version: `amaro ${path}`,
    strip: (source) => {
      try {
        return transformSync(source, { mode: 'strip-only' }).code;
      } catch (problem) {
        throw amaroError(problem);
      }
    },
  };
}

/** Old versions throw a text: a message, then lines of the source with their numbers, then a line of carets. */
function amaroError(problem: unknown): Error {
  const { message, snippet } = (typeof problem === 'object' ? problem : {}) as { [name: string]: unknown };
  const text = String(snippet ?? problem);
  const said = String(message ?? /^\s*x (.*)$/m.exec(text)?.[1] ?? text);
  const [, line = '1', source = '', before = '', carets = ''] =
    /^ *(\d+) \| (.*)\n *: ( *)(\^+)$/m.exec(text) ?? [];
  return syntaxError(said, { line: Number(line), source, column: before.length, width: carets.length });
}

interface Esbuild {
  transformSync(source: string, options: object): { readonly code: string };
  readonly version: string;
}

interface EsbuildProblem {
  readonly errors?: readonly {
    readonly text: string;
    readonly location?: {
      readonly line: number;
      readonly column: number;
      readonly length: number;
      readonly lineText: string;
    };
  }[];
}

/** It prints the code from scratch, so its errors and stacks are mapped back by a source map. */
function esbuildAt(path: string): Stripper {
  const esbuild = createRequire(path)(path) as Esbuild;
  return {
    version: `esbuild ${esbuild.version}`,
    strip: (source, name) => {
      try {
        return esbuild.transformSync(source, {
          ...{ loader: 'ts', format: 'esm', target: 'esnext', logLevel: 'silent' },
          ...{ sourcemap: 'inline', sourcefile: name },
        }).code;
      } catch (problem) {
        const [first] = (problem as EsbuildProblem).errors ?? [];
        if (first?.location === undefined) throw problem;
        const { line, column, length, lineText } = first.location;
        throw syntaxError(first.text, { line, source: lineText, column, width: length });
      }
    },
  };
}

/** In the form in which Node reports such errors: the line, its text and carets, then the stack. */
function syntaxError(
  message: string,
  at: { readonly line: number; readonly source: string; readonly column: number; readonly width: number },
): Error {
  const isUnsupported = message.includes('strip-only mode');
  const found = Object.assign(new SyntaxError(message), {
    code: isUnsupported ? 'ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX' : 'ERR_INVALID_TYPESCRIPT_SYNTAX',
  });
  const carets = ' '.repeat(at.column) + '^'.repeat(Math.max(1, at.width));
  found.stack = `:${at.line}\n${at.source}\n${carets}\n\n${found.stack}`;
  return found;
}
