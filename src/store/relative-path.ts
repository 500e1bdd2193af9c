/** Checks paths that users declare, by their text alone. */
import { sep } from 'node:path';
import type { Failure } from '../model/failure.ts';
import { error, ok, type Result } from '../model/result.ts';

/** The same path without `.` and doubled or trailing slashes; `.` for the workspace itself. */
export function checkRelativePath(text: string): Result<string, Failure> {
  const reason = whyUnsafe(text);
  if (reason !== undefined) return error(unsafe(text, reason));
  const segments = text.split('/').filter((segment) => segment !== '' && segment !== '.');
  return ok(segments.length === 0 ? '.' : segments.join('/'));
}

function whyUnsafe(text: string): string | undefined {
  if (text === '') return 'is empty';
  if (text.includes('\0')) return 'contains a NUL character';
  if (/^(?:[/\\]|[A-Za-z]:[/\\])/.test(text)) return 'is absolute; it must be relative to the workspace';
  if (text.includes('..') && text.split(/[/\\]/).includes('..'))
    return 'contains `..`; it must stay inside the workspace';
  return undefined;
}

export function isInside(root: string, path: string): boolean {
  return path === root || path.startsWith(root.endsWith(sep) ? root : root + sep);
}

export function unsafe(path: string, reason: string): Failure {
  return { type: 'unsafe-path', path, reason };
}
