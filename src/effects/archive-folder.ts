import fs from 'node:fs';
import { basename, dirname, isAbsolute, join, relative, sep } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { Effect } from '../engine/durable.ts';
import { closeFile } from '../model/close-file.ts';
import type { Failure } from '../model/failure.ts';
import { error, ok, type Result } from '../model/result.ts';
import { digestOfFile } from '../store/digest.ts';
import { keepAside } from '../store/keep-aside.ts';
import { runPathsIn } from '../store/layout.ts';
import { pinFolderInside, pinPlace } from '../store/pin-inside.ts';
import { openPlain, openPlainTo } from '../store/plain-file.ts';
import { clearAway } from '../store/remove-file.ts';
import { fileFailure, openInside } from '../store/safe-path.ts';
import { temporaryPath } from '../store/temporary-name.ts';
import { syncFolder } from '../store/write-whole.ts';
import type { ArchiveFolderInput, ArchiveFolderOutput } from './contracts.ts';

/** Zips a folder: written beside its place and renamed when complete, so that there is a complete archive or none. */
export const archiveFolder: Effect<ArchiveFolderInput, ArchiveFolderOutput> = async (
  input,
  { run, signal, emit },
) => {
  const files = filesBelow(run.workspace, input.folder);
  if (files.type === 'error') return { files: 0, failure: files.error };
  const target = targetOf(input, run);
  if (target.type === 'error') return { files: 0, failure: target.error };
  const { path, real, close } = target.value;
  const partial = temporaryPath(path);
  try {
    const { workspace } = run;
    const refused = await writeZip({ workspace, folder: input.folder, files: files.value, partial, signal });
    if (refused !== undefined) return { files: 0, failure: refused };
    // After a kill, the existing file may be this archive.
    if (fs.existsSync(path) && digestAt(path) !== digestAt(partial)) {
      const kept = basename(keepAside(path));
      emit({ type: 'message', text: `kept the existing archive \`${real}\` as \`${kept}\`` });
    }
    fs.renameSync(partial, path);
    syncFolder(dirname(path));
    return { archive: real, files: files.value.length };
  } catch (problem) {
    if (signal.aborted) throw signal.reason;
    return { files: 0, failure: fileFailure('archive to', real, problem) };
  } finally {
    clearAway(partial);
    close();
  }
};

/** Undefined if it is not a readable file, so it is not the archive. */
function digestAt(path: string): string | undefined {
  let fd: number;
  try {
    fd = openPlain(path);
  } catch {
    return undefined;
  }
  try {
    return digestOfFile(fd);
  } finally {
    closeFile(fd);
  }
}

interface Target {
  /** The path to use. */
  readonly path: string;
  /** The path to show. */
  readonly real: string;
  close(): void;
}

function targetOf(
  input: ArchiveFolderInput,
  run: { readonly workspace: string; readonly directory: string },
): Result<Target, Failure> {
  if (input.to === undefined) {
    const path = runPathsIn(run.directory).processedArchive;
    return ok({ path, real: path, close() {} });
  }
  // Outside the workspace, only by the user's choice, which was checked when the run started. Opening it refuses links (F1 of plain-file.ts).
  if (isAbsolute(input.to)) return ok({ path: input.to, real: input.to, close() {} });
  const place = pinPlace(run.workspace, input.to, { operation: 'archive to', makeFolders: true });
  if (place.type === 'error') return place;
  const { path, real, folder } = place.value;
  return ok({ path, real, close: () => folder.close() });
}

/** Regular files only: a link could lead anywhere. */
function filesBelow(workspace: string, folder: string): Result<readonly string[], Failure> {
  const pinned = pinFolderInside(workspace, folder, { operation: 'archive' });
  if (pinned.type === 'error') {
    const isMissing = pinned.error.type === 'file' && pinned.error.code === 'ENOENT';
    return isMissing ? ok([]) : pinned;
  }
  const { path } = pinned.value;
  try {
    return ok(
      fs
        .readdirSync(path, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => relative(path, join(entry.parentPath, entry.name)).split(sep).join('/'))
        .sort(),
    );
  } catch (cause) {
    return error(fileFailure('archive', folder, cause));
  } finally {
    pinned.value.close();
  }
}

/** Returns what is wrong with a file of the folder; throws write errors. */
async function writeZip(work: {
  readonly workspace: string;
  readonly folder: string;
  readonly files: readonly string[];
  readonly partial: string;
  readonly signal: AbortSignal;
}): Promise<Failure | undefined> {
  const { ZipFile } = await import('yazl');
  const zip = new ZipFile();
  const refusal = new AbortController();
  let refused: Failure | undefined;
  let reading: fs.ReadStream | undefined;
  const refuse = (failure: Failure): void => {
    refused ??= failure;
    refusal.abort();
  };
  for (const file of work.files) {
    const path = `${work.folder}/${file}`;
    const open = () => openInside(work.workspace, path, { to: 'read' });
    const looked = open();
    if (looked.type === 'error') {
      refuse(looked.error);
      break;
    }
    const { mtime, mode } = fs.fstatSync(looked.value.fd);
    closeFile(looked.value.fd);
    // Opened one at a time, when needed.
    zip.addReadStreamLazy(file, { mtime, mode }, (give) => {
      const opened = open();
      if (opened.type === 'error') return refuse(opened.error);
      reading = fs.createReadStream('', { fd: opened.value.fd });
      reading.once('error', (cause) => refuse(fileFailure('read', path, cause)));
      give(null, reading);
    });
  }
  zip.end();
  const written = fs.createWriteStream('', {
    fd: openPlainTo(work.partial, { to: 'create' }),
    flush: true,
  });
  // A destroyed stream may still create its file.
  const closed = new Promise<void>((resolve) => written.once('close', () => resolve()));
  try {
    await pipeline(zip.outputStream, written, {
      signal: AbortSignal.any([work.signal, refusal.signal]),
    });
    return undefined;
  } catch (cause) {
    if (refused !== undefined) return refused;
    throw cause;
  } finally {
    reading?.destroy();
    await closed;
  }
}
