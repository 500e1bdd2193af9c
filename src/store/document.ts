/**
 * JSON documents that several programs and users write: the document is the truth, replaced as a whole under its lock (J4).
 *
 * A parser returns the document it was given, unknown fields included, so that additions by another version or a user survive.
 */
import fs from 'node:fs';
import { errnoWords } from '../model/describe-failure.ts';
import { type JsonValue, parseJson } from '../model/json.ts';
import { error, ok, type Result } from '../model/result.ts';
import { positionAt } from '../model/source.ts';
import { placeFile, replaceFile } from './atomic-write.ts';
import { errnoOf } from './errno.ts';
import { jsonProblem } from './locate-json-error.ts';
import { type Held, withLock } from './lock.ts';
import { plainData } from './plain-data.ts';
import { readPlainText } from './plain-file.ts';
import { refusedPath } from './plain-folder.ts';

/** Checks data of unknown shape; returns the document, or everything that is wrong with it. */
export type DocumentParser<Document> = (value: JsonValue) => Result<Document, readonly string[]>;

export type DocumentProblem =
  | { readonly type: 'missing'; readonly path: string; readonly message: string }
  | { readonly type: 'exists'; readonly path: string; readonly message: string }
  | {
      readonly type: 'not-json';
      readonly path: string;
      /** Both count from 1. */
      readonly line: number;
      readonly column: number;
      readonly message: string;
    }
  | {
      readonly type: 'invalid';
      readonly path: string;
      readonly problems: readonly string[];
      readonly message: string;
    }
  | { readonly type: 'file-error'; readonly path: string; readonly code: string; readonly message: string }
  | Held;

export function loadDocument<Document>(
  path: string,
  parse: DocumentParser<Document>,
): Result<Document, DocumentProblem> {
  let text: string;
  try {
    text = readPlainText(path);
  } catch (cause) {
    return error(fileProblem(path, cause, 'read'));
  }
  const data = parseText(path, text.charCodeAt(0) === 0xfeff ? text.slice(1) : text);
  if (data.type === 'error') return data;
  const parsed = parse(data.value);
  if (parsed.type === 'ok') return parsed;
  const problems = parsed.error;
  return error({
    type: 'invalid',
    path,
    problems,
    message: `\`${path}\` is not valid: ${problems.join('; ')}`,
  });
}

/**
 * Loads, changes and replaces the document under its lock. `change` is synchronous, and returns a new document or, to leave the
 * file as it is, the one it was given. A private document becomes readable by its owner alone.
 */
export async function updateDocument<Document>(
  path: string,
  parse: DocumentParser<Document>,
  change: (document: Document) => Document,
  options: { readonly isPrivate?: (document: Document) => boolean } = {},
): Promise<Result<Document, DocumentProblem>> {
  return alone(path, () => {
    const loaded = loadDocument(path, parse);
    if (loaded.type === 'error') return loaded;
    const changed = change(loaded.value);
    if (changed === loaded.value) return loaded;
    try {
      const mode = options.isPrivate?.(changed) === true ? 0o600 : fs.statSync(path).mode & 0o777;
      replaceFile(path, documentText(changed), { mode });
      return ok(changed);
    } catch (cause) {
      return error(fileProblem(path, cause, 'write'));
    }
  });
}

/** Writes a document that does not exist yet. */
export async function createDocument<Document>(
  path: string,
  document: Document,
  options: { readonly mode?: number } = {},
): Promise<Result<Document, DocumentProblem>> {
  return alone(path, () => {
    try {
      // Checked first, which usually saves a write.
      const isPlaced =
        !fs.existsSync(path) && placeFile(path, documentText(document), { mode: options.mode ?? 0o644 });
      return isPlaced ? ok(document) : error({ type: 'exists', path, message: `\`${path}\` already exists` });
    } catch (cause) {
      return error(fileProblem(path, cause, 'write'));
    }
  });
}

/** Two spaces and a final newline, as is usual for such files. */
export function documentText(document: unknown): string {
  return `${JSON.stringify(document, null, 2)}\n`;
}

async function alone<Document>(
  path: string,
  action: () => Result<Document, DocumentProblem>,
): Promise<Result<Document, DocumentProblem>> {
  try {
    const done = await withLock(`${path}.lock`, { waitMs: 30_000 }, action);
    return done.type === 'ok' ? done.value : done;
  } catch (cause) {
    return error(fileProblem(path, cause, 'lock'));
  }
}

function parseText(path: string, text: string): Result<JsonValue, DocumentProblem> {
  const problem = (offset: number, message: string): Result<JsonValue, DocumentProblem> => {
    const { line, column } = positionAt({ path, text }, offset);
    return error({ type: 'not-json', path, line, column, message: `\`${path}\` line ${line}: ${message}` });
  };
  try {
    return ok(plainData(parseJson(text)));
  } catch (cause) {
    const { offset, message } = jsonProblem(text, cause);
    return problem(offset, message);
  }
}

function fileProblem(path: string, cause: unknown, operation: string): DocumentProblem {
  const code = errnoOf(cause);
  if (code === 'ENOENT') return { type: 'missing', path, message: `\`${path}\` not found` };
  const at = refusedPath(cause, path);
  return {
    type: 'file-error',
    path: at,
    code,
    message: `cannot ${operation} \`${at}\`: ${errnoWords(code)}`,
  };
}
