import fs from 'node:fs';
import { basename, dirname, join, relative, sep } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { closeFile } from '../../model/close-file.ts';
import { openPlainTo } from '../plain-file.ts';
import { pinPlain } from '../plain-folder.ts';
import { clearAway } from '../remove-file.ts';
import { isTemporary, temporaryPath } from '../temporary-name.ts';
import { padding, renderHeader, type TarEntry } from './tar-format.ts';

const READ_BYTES = 256 * 1024;

export interface ArchiveRequest {
  /** Absolute path of the folder to archive. */
  readonly folder: string;
  /** Paths below the folder that are excluded, with their contents. */
  readonly except: readonly string[];
  /** Added at the top: name → text. */
  readonly add: { readonly [name: string]: string };
  /** Absolute; never overwritten. */
  readonly to: string;
}

/** All or nothing: written under a temporary name, then linked. Throws file system errors. */
export async function writeArchive(request: ArchiveRequest): Promise<void> {
  const folder = pinPlain(dirname(request.to));
  const partial = join(folder.path, basename(temporaryPath(request.to)));
  try {
    const fd = openPlainTo(partial, { to: 'create' });
    await pipeline(blocks(request), createGzip(), fs.createWriteStream('', { fd, flush: true }));
    fs.linkSync(partial, join(folder.path, basename(request.to)));
    folder.sync();
  } finally {
    clearAway(partial);
    folder.close();
  }
}

async function* blocks(request: ArchiveRequest): AsyncGenerator<Buffer> {
  for (const [name, text] of Object.entries(request.add)) {
    const body = Buffer.from(text);
    yield renderHeader({
      path: name,
      type: 'file',
      size: body.length,
      mode: 0o644,
      mtime: Date.now() / 1000,
    });
    yield Buffer.concat([body, padding(body.length)]);
  }
  for (const name of fs.readdirSync(request.folder).sort()) {
    if (Object.hasOwn(request.add, name)) continue;
    yield* entry(request, join(request.folder, name));
  }
  yield Buffer.alloc(1024);
}

/** Links are kept as links. Temporary files are skipped, and so are sockets, pipes and devices. */
async function* entry(request: ArchiveRequest, path: string): AsyncGenerator<Buffer> {
  const inside = relative(request.folder, path).split(sep).join('/');
  if (request.except.includes(inside) || isTemporary(basename(path))) return;
  const stat = fs.lstatSync(path);
  const common = {
    path: inside,
    mode: stat.mode,
    mtime: stat.mtimeMs / 1000,
  };
  if (stat.isSymbolicLink()) {
    yield renderHeader({ ...common, type: 'link', size: 0, target: fs.readlinkSync(path) });
  } else if (stat.isDirectory()) {
    yield renderHeader({ ...common, type: 'folder', size: 0 });
    for (const name of fs.readdirSync(path).sort()) yield* entry(request, join(path, name));
  } else if (stat.isFile()) {
    yield* file(path, { ...common, type: 'file', size: stat.size });
  }
}

/** Writes exactly as many bytes as the header says, even if the file changes meanwhile. */
async function* file(path: string, header: TarEntry): AsyncGenerator<Buffer> {
  const fd = fs.openSync(path, fs.constants.O_RDONLY | fs.constants.O_NOFOLLOW | fs.constants.O_NONBLOCK);
  try {
    yield renderHeader(header);
    for (let left = header.size; left > 0; ) {
      const chunk = Buffer.allocUnsafe(Math.min(left, READ_BYTES));
      const got = fs.readSync(fd, chunk, 0, chunk.length, header.size - left);
      if (got === 0) throw new Error(`\`${path}\` became shorter while it was archived`);
      left -= got;
      yield chunk.subarray(0, got);
    }
    yield padding(header.size);
  } finally {
    closeFile(fd);
  }
}
