import fs from 'node:fs';
import { join } from 'node:path';
import { errnoWords } from '../../model/describe-failure.ts';
import { error, ok, type Result } from '../../model/result.ts';
import { replaceFile } from '../../store/atomic-write.ts';
import { createDocument, loadDocument } from '../../store/document.ts';
import { errnoOf } from '../../store/errno.ts';
import { makeIgnoredFolder } from '../../store/ignored-folder.ts';
import { makeFolder } from '../../store/make-folder.ts';
import { readPlainText } from '../../store/plain-file.ts';
import { clearFolderAway } from '../../store/remove-file.ts';
import { temporaryPath } from '../../store/temporary-name.ts';
import { syncFolder } from '../../store/write-whole.ts';
import { holdsCredentials } from '../notify-address.ts';
import { isWorkspaceName, pathsIn, type WorkspacePaths, workspacePaths } from './layout.ts';
import { type Metadata, parseMetadata } from './metadata.ts';
import { problemText } from './problem-text.ts';

export interface Workspace {
  readonly name: string;
  readonly paths: WorkspacePaths;
  readonly metadata: Metadata;
}

export type WorkspaceProblem =
  | { readonly type: 'exists' | 'missing' }
  | { readonly type: 'broken'; readonly message: string };

const EMPTY_TODO = '# TODO\n';

/** Never touches an existing folder. The new folder appears only when it is complete. */
export async function createWorkspace(
  workspacesDir: string,
  metadata: Metadata,
  files: { readonly [name: string]: string } = {},
): Promise<Result<Workspace, WorkspaceProblem>> {
  const paths = workspacePaths(workspacesDir, metadata.name);
  const unfinished = pathsIn(temporaryPath(paths.folder));
  try {
    makeIgnoredFolder(workspacesDir);
    if (fs.existsSync(paths.folder)) return error({ type: 'exists' });
    makeFolder(unfinished.working);
    replaceFile(unfinished.todo, EMPTY_TODO, { mode: 0o644 });
    for (const [name, text] of Object.entries(files))
      replaceFile(join(unfinished.folder, name), text, { mode: 0o644 });
    const created = await createDocument(
      unfinished.metadata,
      metadata,
      holdsCredentials(metadata) ? { mode: 0o600 } : {},
    );
    if (created.type === 'error') return error({ type: 'broken', message: problemText(created.error) });
    fs.renameSync(unfinished.folder, paths.folder);
    syncFolder(workspacesDir);
    return ok({ name: metadata.name, paths, metadata });
  } catch (cause) {
    const code = errnoOf(cause);
    if (code === 'EEXIST' || code === 'ENOTEMPTY' || code === 'ENOTDIR') return error({ type: 'exists' });
    return error({ type: 'broken', message: `cannot create \`${paths.folder}\`: ${errnoWords(code)}` });
  } finally {
    clearFolderAway(unfinished.folder);
  }
}

export function loadWorkspace(workspacesDir: string, name: string): Result<Workspace, WorkspaceProblem> {
  const paths = workspacePaths(workspacesDir, name);
  if (!fs.existsSync(paths.folder)) return error({ type: 'missing' });
  const metadata = loadDocument(paths.metadata, parseMetadata);
  return metadata.type === 'ok'
    ? ok({ name, paths, metadata: metadata.value })
    : error({ type: 'broken', message: problemText(metadata.error) });
}

export function workspaceNames(workspacesDir: string): readonly string[] {
  try {
    return fs
      .readdirSync(workspacesDir, { withFileTypes: true })
      .filter((entry) => entry.isDirectory() && isWorkspaceName(entry.name))
      .map((entry) => entry.name)
      .sort();
  } catch (cause) {
    if (errnoOf(cause) === 'ENOENT') return [];
    throw cause;
  }
}

/** Reads a text that may be missing. The error names the file, which system errors do not always do. */
export function readTextIfThere(path: string): string | undefined {
  try {
    return readPlainText(path);
  } catch (cause) {
    if (errnoOf(cause) === 'ENOENT') return undefined;
    throw Object.assign(cause as NodeJS.ErrnoException, { path });
  }
}
