import fs from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { Effect } from '../engine/durable.ts';
import type { Failure } from '../model/failure.ts';
import { error, ok, type Result } from '../model/result.ts';
import { runPathsIn } from '../store/layout.ts';
import { fileFailure, makeFolderInside, resolveInside } from '../store/safe-path.ts';
import { temporaryPath } from '../store/temporary-name.ts';
import { syncFolder } from '../store/write-whole.ts';
import type { ArchiveFolderInput, ArchiveFolderOutput } from './contracts.ts';

/** Puts a folder into a zip: written beside its place and renamed when whole, so that there is a whole archive or none. */
export const archiveFolder: Effect<ArchiveFolderInput, ArchiveFolderOutput> = async (
  input,
  { run, signal },
) => {
  const folder = resolveInside(run.workspace, input.folder);
  if (folder.type === 'error') return { files: 0, failure: folder.error };
  const target = targetOf(input, run);
  if (target.type === 'error') return { files: 0, failure: target.error };
  const files = filesBelow(folder.value);
  const partial = temporaryPath(target.value);
  try {
    await writeZip({ folder: folder.value, files, partial, signal });
    fs.renameSync(partial, target.value);
    syncFolder(dirname(target.value));
    return { archive: target.value, files: files.length };
  } catch (problem) {
    fs.rmSync(partial, { force: true });
    if (signal.aborted) throw signal.reason;
    return { files: 0, failure: fileFailure('archive to', target.value, problem) };
  }
};

function targetOf(
  input: ArchiveFolderInput,
  run: { readonly workspace: string; readonly directory: string },
): Result<string, Failure> {
  if (input.to === undefined) return ok(runPathsIn(run.directory).processedArchive);
  const parent = input.to.includes('/')
    ? makeFolderInside(run.workspace, input.to.slice(0, input.to.lastIndexOf('/')))
    : ok('');
  if (parent.type === 'error') return error(parent.error);
  return resolveInside(run.workspace, input.to);
}

/** Regular files only: a link could lead anywhere. */
function filesBelow(folder: string): readonly string[] {
  if (!fs.existsSync(folder)) return [];
  return fs
    .readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)).split(sep).join('/'))
    .sort();
}

async function writeZip(work: {
  readonly folder: string;
  readonly files: readonly string[];
  readonly partial: string;
  readonly signal: AbortSignal;
}): Promise<void> {
  const { ZipFile } = await import('yazl');
  const zip = new ZipFile();
  for (const file of work.files) zip.addFile(join(work.folder, file), file);
  zip.end();
  await pipeline(
    zip.outputStream,
    fs.createWriteStream(work.partial, { flags: 'w', mode: 0o600, flush: true }),
    {
      signal: work.signal,
    },
  );
}
