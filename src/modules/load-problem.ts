/** What Node throws while it loads a module, as a diagnostic with the place in the user's file. */
import { relative, sep } from 'node:path';
import { defined } from '../model/defined.ts';
import type { Diagnostic } from '../model/diagnostic.ts';
import { readForeign } from '../store/read-foreign.ts';
import type { ModuleCode } from './codes.ts';
import {
  findSyntaxError,
  frameIn,
  type Loading,
  type Place,
  pathIn,
  placeIn,
  placeOfSpecifier,
  rangeOf,
} from './error-place.ts';

interface Thrown {
  readonly code: string | undefined;
  readonly message: string;
  readonly stack: string;
}

export function describeLoadProblem(problem: unknown, loading: Loading): Diagnostic {
  const { code, message, stack } = asError(problem);
  if (code === 'ERR_UNKNOWN_FILE_EXTENSION' && /\.m?ts\b/.test(message))
    return needsTypeScript(shown(loading));
  const imported = /^(Cannot find (?:package|module) .*|.*) imported from (.+)$/s.exec(message);
  if (code?.startsWith('ERR_') && imported !== null) {
    return missingImport(loading, message, pathIn(imported[2] ?? ''));
  }
  if (problem instanceof SyntaxError || (problem as Error | undefined)?.name === 'SyntaxError') {
    return syntaxProblem(loading, { code, message, stack });
  }
  const name = problem instanceof Error ? `${problem.name}: ${message}` : message;
  return diagnostic(loading, 'module/threw', {
    message: `loading \`${shown(loading)}\` threw an error: ${firstLine(name)}`,
    place: frameIn(loading, stack),
  });
}

export function needsTypeScript(path: string): Diagnostic {
  return {
    code: 'module/needs-typescript' satisfies ModuleCode,
    severity: 'error',
    message: `Node ${process.versions.node} cannot load TypeScript by itself`,
    path,
    help: 'use Node 22.18 or newer, or install tsx in the project: `npm install --save-dev tsx`',
  };
}

function syntaxProblem(loading: Loading, { code, message, stack }: Thrown): Diagnostic {
  const place = placeIn(stack) ?? findSyntaxError(loading);
  if (code === 'ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX')
    return diagnostic(loading, 'module/unsupported-syntax', {
      message: `${firstLine(message).replace(/ in strip-only mode$/, '')}: types are removed, nothing is compiled`,
      place,
      help: 'use plain JavaScript for it: an object with `as const` for an enum, a module for a namespace',
    });
  const missing = /^The requested module '(.+?)' does not provide an export named '(.+?)'/.exec(message);
  if (missing !== null)
    return diagnostic(loading, 'module/missing-export', {
      message: `\`${missing[1]}\` does not export \`${missing[2]}\``,
      place,
    });
  return diagnostic(loading, 'module/syntax', { message: lowerFirst(firstLine(message)), place });
}

function missingImport(loading: Loading, message: string, importer: string): Diagnostic {
  const wanted = /'([^']+)'/.exec(message)?.[1] ?? '';
  const isPackage = message.startsWith('Cannot find package');
  const text = readText(importer);
  const place = text === undefined ? undefined : placeOfSpecifier(importer, text, wanted, isPackage);
  return diagnostic(loading, 'module/import-not-found', {
    message: isPackage
      ? `cannot find the package \`${wanted}\``
      : wanted.startsWith('/')
        ? `cannot find the file \`${relativeTo(loading.workspace, wanted)}\``
        : lowerFirst(firstLine(message)).replace(/ imported from .*$/, ''),
    place: place ?? { path: importer, line: 1 },
    ...(isPackage ? { help: `install it in the project: \`npm install ${packageOf(wanted)}\`` } : {}),
  });
}

function packageOf(name: string): string {
  return name
    .split('/')
    .slice(0, name.startsWith('@') ? 2 : 1)
    .join('/');
}

function diagnostic(
  { workspace, path }: Loading,
  code: ModuleCode,
  {
    message,
    place,
    help,
  }: { readonly message: string; readonly place?: Place | undefined; readonly help?: string },
): Diagnostic {
  const at = place ?? { path, line: 1 };
  const text = readText(at.path);
  return {
    ...{ code, severity: 'error', message },
    ...(text === undefined || place === undefined
      ? { path: relativeTo(workspace, at.path) }
      : { range: rangeOf({ path: relativeTo(workspace, at.path), text }, place) }),
    ...defined({ help }),
  };
}

function asError(problem: unknown): Thrown {
  const { code, message, stack } = (problem ?? {}) as { readonly [name: string]: unknown };
  return {
    code: typeof code === 'string' ? code : undefined,
    message: typeof message === 'string' ? message : String(problem),
    stack: typeof stack === 'string' ? stack : '',
  };
}

function readText(path: string): string | undefined {
  try {
    return readForeign(path);
  } catch {
    return undefined;
  }
}

function shown({ workspace, path }: Loading): string {
  return relativeTo(workspace, path);
}

function relativeTo(workspace: string, path: string): string {
  return relative(workspace, path).split(sep).join('/');
}

function firstLine(text: string): string {
  return text.split('\n')[0] ?? text;
}

function lowerFirst(text: string): string {
  return /^[A-Z][a-z]/.test(text) && !/^TypeScript/.test(text)
    ? text.charAt(0).toLowerCase() + text.slice(1)
    : text;
}
