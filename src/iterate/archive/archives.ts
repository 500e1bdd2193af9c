/** Archives of workspaces: `<workspace>-YYYY-MM-DDTHH-MM-SS.tar.gz` with its metadata in `.archived.json`. */
import fs from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { defined } from '../../model/defined.ts';
import { isJsonObject, type JsonObject, parseJson, parseJsonObject } from '../../model/json.ts';
import { error, ok, type Result } from '../../model/result.ts';
import { ArchiveError, readArchive, unpackArchive } from '../../store/archive/read-archive.ts';
import { writeArchive } from '../../store/archive/write-archive.ts';
import { replaceFile } from '../../store/atomic-write.ts';
import { documentText } from '../../store/document.ts';
import { makeIgnoredFolder } from '../../store/ignored-folder.ts';
import { makeFolder } from '../../store/make-folder.ts';
import { namesIn } from '../../store/names-in.ts';
import { copyPlain, readPlainText } from '../../store/plain-file.ts';
import { clearFolderAway } from '../../store/remove-file.ts';
import { temporaryPath } from '../../store/temporary-name.ts';
import type { Claim } from '../../store/trust.ts';
import { withoutClaims } from '../config/claims.ts';
import { archiveName, FILES, isWorkspaceName, pathsIn, workspacePaths } from '../workspace/layout.ts';
import { holdsFolder } from './archive-holding.ts';

const SUFFIX = '.tar.gz';
const NOTE = '.archived.json';
const NAME = /^([a-zA-Z0-9_-]+)-(\d{4}-\d{2}-\d{2}T\d{2}-\d{2}-\d{2})(-\d+)?$/;
const MOST_TRIES = 100;

export interface Archive {
  readonly name: string;
  readonly path: string;
  readonly workspace: string;
  readonly archivedAt: string;
  readonly bytes: number;
  /** Made by the original tool: a folder instead of a file. */
  readonly isFolder: boolean;
}

/** Undefined: the archive does not exist. */
export function findArchive(archiveDir: string, given: string): Archive | undefined {
  const name = given.endsWith(SUFFIX) ? given.slice(0, -SUFFIX.length) : given;
  const parts = NAME.exec(name);
  if (parts?.[1] === undefined || parts[2] === undefined) return undefined;
  const file = join(archiveDir, `${name}${SUFFIX}`);
  const isFile = fs.statSync(file, { throwIfNoEntry: false })?.isFile() === true;
  const path = isFile ? file : join(archiveDir, name);
  const stat = fs.lstatSync(path, { throwIfNoEntry: false });
  if (stat === undefined || (!isFile && !stat.isDirectory())) return undefined;
  const [date = '', time = ''] = parts[2].split('T');
  const archivedAt = `${date}T${time.replaceAll('-', ':')}Z`;
  return {
    name,
    path,
    workspace: parts[1],
    archivedAt,
    bytes: isFile ? stat.size : bytesIn(path),
    isFolder: !isFile,
  };
}

/** Newest first. */
export function listArchives(archiveDir: string): readonly Archive[] {
  return namesIn(archiveDir)
    .flatMap((name) => findArchive(archiveDir, name) ?? [])
    .filter((archive, index, all) => all.findIndex(({ name }) => name === archive.name) === index)
    .sort((a, b) => (a.archivedAt < b.archivedAt ? 1 : -1));
}

/** Not part of the work, so not archived. */
const LEFT_OUT = [FILES.lock, FILES.stop, FILES.pause, FILES.set, `${FILES.metadata}.lock`];

/** The newest archive of a workspace if it is identical to the workspace: the removal after it was interrupted. */
export async function archiveHolding(
  archiveDir: string,
  workspace: { readonly name: string; readonly folder: string },
): Promise<Archive | undefined> {
  const newest = listArchives(archiveDir).find((each) => each.workspace === workspace.name);
  if (newest === undefined) return undefined;
  return !newest.isFolder && (await holdsFolder(newest.path, workspace.folder, [...LEFT_OUT, NOTE]))
    ? newest
    : undefined;
}

/** Keeps the workspace. The error is a sentence. */
export async function saveArchive(
  archiveDir: string,
  workspace: { readonly name: string; readonly folder: string },
  now: Date,
): Promise<Result<Archive, string>> {
  const base = archiveName(workspace.name, now);
  // With the names that the original tool uses.
  const noteOf = (archiveName: string): JsonObject => ({
    ...{ originalName: workspace.name, archiveName },
    ...{ archivedAt: now.toISOString(), archivedFrom: workspace.folder },
  });
  try {
    makeIgnoredFolder(archiveDir);
    for (let tried = 1; tried <= MOST_TRIES; tried += 1) {
      const name = tried === 1 ? base : `${base}-${tried}`;
      if (await writeIfFree(join(archiveDir, `${name}${SUFFIX}`), workspace.folder, noteOf(name))) {
        const saved = findArchive(archiveDir, name);
        if (saved !== undefined) return ok(saved);
      }
    }
    return error(`${MOST_TRIES} archives with this timestamp already exist`);
  } catch (cause) {
    return error((cause as Error).message);
  }
}

async function writeIfFree(to: string, folder: string, note: JsonObject): Promise<boolean> {
  if (fs.existsSync(to)) return false;
  try {
    await writeArchive({
      folder,
      except: LEFT_OUT,
      add: { [NOTE]: documentText(note) },
      to,
    });
    return true;
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw cause;
  }
}

export interface Restored {
  readonly folder: string;
  readonly leftOut: readonly string[];
  /** Removed settings, which would have chosen what runs here. */
  readonly dropped: readonly Pick<Claim, 'name' | 'value'>[];
}

/** Never restores into an existing folder. The folder appears only when it is complete. */
export async function restoreArchive(
  archive: Archive,
  workspacesDir: string,
  name: string,
): Promise<Result<Restored, string>> {
  if (!isWorkspaceName(name)) return error(`\`${name}\` is not a valid workspace name`);
  const { folder } = workspacePaths(workspacesDir, name);
  let partial: string | undefined;
  try {
    if (fs.existsSync(folder)) return error(`Workspace already exists: ${name}`);
    makeIgnoredFolder(workspacesDir);
    partial = temporaryPath(folder);
    makeFolder(partial, 0o700);
    const leftOut = archive.isFolder
      ? copyArchive(archive.path, partial)
      : await unpackArchive(archive.path, partial, [NOTE]);
    hoist(partial);
    const metadata = pathsIn(partial).metadata;
    if (!fs.existsSync(metadata)) return error('it does not contain a workspace: .metadata.json not found');
    const dropped = takeOver(metadata, name === archive.workspace ? undefined : name);
    fs.chmodSync(partial, 0o755);
    // Fails if a non-empty folder was created meanwhile.
    fs.renameSync(partial, folder);
    partial = undefined;
    return ok({ folder, leftOut, dropped });
  } catch (cause) {
    if (!(cause instanceof ArchiveError) && (cause as NodeJS.ErrnoException).code === undefined) throw cause;
    return error((cause as Error).message);
  } finally {
    if (partial !== undefined) clearFolderAway(partial);
  }
}

/** An archive of the original tool may contain the folder of the workspace instead of its contents. */
function hoist(partial: string): void {
  if (fs.existsSync(pathsIn(partial).metadata)) return;
  const folders = fs.readdirSync(partial, { withFileTypes: true });
  const [only] = folders;
  if (only?.isDirectory() !== true || folders.length > 1) return;
  const inner = join(partial, only.name);
  if (!fs.existsSync(pathsIn(inner).metadata)) return;
  // The inner folder may contain an entry of its own name.
  const aside = temporaryPath(inner);
  fs.renameSync(inner, aside);
  for (const name of fs.readdirSync(aside)) fs.renameSync(join(aside, name), join(partial, name));
  fs.rmdirSync(aside);
  fs.rmSync(join(partial, NOTE), { force: true });
}

/** Only plain files and folders; returns what was left out. */
function copyArchive(from: string, to: string): readonly string[] {
  const leftOut: string[] = [];
  for (const entry of fs.readdirSync(from, { withFileTypes: true, recursive: true })) {
    const path = join(entry.parentPath, entry.name);
    const inside = relative(from, path);
    if (entry.isDirectory()) makeFolder(join(to, inside));
    else if (!entry.isFile()) leftOut.push(inside);
    else if (inside !== NOTE) {
      makeFolder(dirname(join(to, inside)));
      copyPlain(path, join(to, inside));
    }
  }
  return leftOut;
}

function bytesIn(folder: string): number {
  return fs
    .readdirSync(folder, { withFileTypes: true, recursive: true })
    .reduce(
      (sum, entry) => sum + (entry.isFile() ? fs.lstatSync(join(entry.parentPath, entry.name)).size : 0),
      0,
    );
}

/** Sets the new name and removes what an archive must not choose. Opening the workspace reports metadata that is not JSON. */
function takeOver(metadataPath: string, name: string | undefined): Restored['dropped'] {
  const document = parseJsonObject(readPlainText(metadataPath));
  if (document === undefined) return [];
  const { metadata, dropped } = withoutClaims(document);
  if (name === undefined && dropped.length === 0) return [];
  const text = documentText(name === undefined ? metadata : { ...metadata, name });
  replaceFile(metadataPath, text, { mode: 0o644 });
  return dropped;
}

export interface ArchiveContents {
  readonly note?: JsonObject;
  readonly metadata?: JsonObject;
  readonly files: readonly { readonly path: string; readonly size: number }[];
}

/** Size limit of a document to show; a larger one is not read. */
const MOST_DOCUMENT_BYTES = 1024 * 1024;

export async function lookIntoArchive(archive: Archive): Promise<Result<ArchiveContents, string>> {
  if (archive.isFolder) return ok(lookIntoFolder(archive.path));
  const files: { path: string; size: number }[] = [];
  const documents: { [path: string]: JsonObject } = {};
  try {
    await readArchive(archive.path, async (entry, content) => {
      const inner = entry.path.slice(entry.path.indexOf('/') + 1);
      const name = [NOTE, FILES.metadata].find((each) => each === entry.path || each === inner);
      const isDocument = name !== undefined && entry.size <= MOST_DOCUMENT_BYTES;
      const chunks: Buffer[] = [];
      for await (const chunk of content) if (isDocument) chunks.push(chunk);
      if (entry.type === 'file' && entry.path !== NOTE) files.push({ path: entry.path, size: entry.size });
      if (!isDocument) return;
      try {
        const value: unknown = parseJson(Buffer.concat(chunks).toString());
        if (isJsonObject(value) && documents[name] === undefined) documents[name] = value;
      } catch {
        // Unreadable documents are not shown.
      }
    });
  } catch (cause) {
    if (!(cause instanceof ArchiveError) && (cause as NodeJS.ErrnoException).code === undefined) throw cause;
    return error((cause as Error).message);
  }
  const note = documents[NOTE];
  const metadata = documents[FILES.metadata];
  return ok({
    files,
    ...defined({ note, metadata }),
  });
}

function lookIntoFolder(folder: string): ArchiveContents {
  const files = fs
    .readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => {
      const path = join(entry.parentPath, entry.name);
      return { path: relative(folder, path), size: fs.lstatSync(path).size };
    });
  const read = (name: string): JsonObject | undefined => {
    const found = files.find(({ path, size }) => path === name && size <= MOST_DOCUMENT_BYTES);
    return found === undefined ? undefined : parseJsonObject(readPlainText(join(folder, name)));
  };
  return {
    files: files.filter(({ path }) => path !== NOTE),
    ...defined({ note: read(NOTE), metadata: read(FILES.metadata) }),
  };
}
