/**
 * Reads and unpacks archives.
 *
 * A1 Every path is relative, without `..`, and occurs once. Reading stops at one that is not.
 * A2 Files are always created new: nothing that exists is written to, so no link can redirect a file.
 * A3 Links are created last, and only those that stay inside; the others are reported and skipped.
 * A4 Memory grows only with the names in the archive, time only with its size: an archive that unpacks to far more
 *    than any workspace contains is refused (`Limits`).
 */
import fs from 'node:fs';
import { dirname, join } from 'node:path';
import { createGunzip } from 'node:zlib';
import { openPlain } from '../plain-file.ts';
import { checkRelativePath } from '../safe-path.ts';
import { writeWhole } from '../write-whole.ts';
import { BLOCK, padding, parseHeader, parsePax, type TarEntry } from './tar-format.ts';

const MOST_PAX_BYTES = 64 * 1024;

/** A4 */
class Limits {
  static readonly mostEntries = 1_000_000;
  static readonly mostNameBytes = 64 * 1024 * 1024;
  /** A small archive with more content cannot be real work: text and logs compress to a tenth, at most to a fiftieth. */
  static readonly mostBytes = 512 * 1024 * 1024;
  static readonly mostTimesItsSize = 200;
  readonly #ownBytes: number;
  #entries = 0;
  #nameBytes = 0;
  #bytes = 0;

  constructor(ownBytes: number) {
    this.#ownBytes = ownBytes;
  }

  addEntry({ path, target = '' }: TarEntry): void {
    this.#entries += 1;
    this.#nameBytes += path.length + target.length;
    if (this.#entries > Limits.mostEntries)
      throw new ArchiveError(`it contains more than ${Limits.mostEntries.toLocaleString('en')} files`);
    if (this.#nameBytes > Limits.mostNameBytes)
      throw new ArchiveError('the names of its files take more than 64 MiB');
  }

  addBytes(count: number): void {
    this.#bytes += count;
    if (this.#bytes > Limits.mostBytes && this.#bytes > this.#ownBytes * Limits.mostTimesItsSize)
      throw new ArchiveError(
        `it unpacks to more than 512 MiB and ${Limits.mostTimesItsSize} times its size; unpack it with \`tar\` if you trust it`,
      );
  }
}

export class ArchiveError extends Error {}

/** Calls back for each entry with its content, which must be read to the end. */
export async function readArchive(
  path: string,
  each: (entry: TarEntry, content: AsyncIterable<Buffer>) => Promise<void>,
): Promise<void> {
  const fd = openPlain(path);
  const limits = new Limits(fs.fstatSync(fd).size);
  const input = fs.createReadStream('', { fd });
  const unzipped = input.pipe(createGunzip());
  input.on('error', (cause) => unzipped.destroy(cause));
  const source = new ByteSource(unzipped, limits);
  const seen = new Set<string>();
  /** What the headers before an entry say about it. */
  let before = new Map<string, string>();
  try {
    for (;;) {
      const header = parseHeader(await source.take(BLOCK), before);
      if (header.type === 'end') return;
      if (header.type === 'bad') throw new ArchiveError(header.reason);
      if (header.type !== 'entry') {
        if (header.size > MOST_PAX_BYTES) throw new ArchiveError('a header is too large');
        const body = await source.take(header.size);
        await source.take(padding(header.size).length);
        if (header.type === 'long') before.set(header.key, body.toString('utf8').replace(/\0.*$/s, ''));
        else if (header.type === 'pax') for (const [key, value] of parsePax(body)) before.set(key, value);
        continue;
      }
      before = new Map();
      const { entry } = header;
      limits.addEntry(entry);
      const checked = checkRelativePath(entry.path);
      // A1
      if (checked.type === 'error' || checked.value === '.' || entry.path.includes('\\'))
        throw new ArchiveError(`\`${entry.path}\` leads outside the workspace`);
      if (seen.has(checked.value)) throw new ArchiveError(`\`${entry.path}\` occurs twice in it`);
      seen.add(checked.value);
      await each({ ...entry, path: checked.value }, source.content(entry.size));
      await source.take(padding(entry.size).length);
    }
  } catch (cause) {
    if (cause instanceof ArchiveError) throw cause;
    const { code } = cause as NodeJS.ErrnoException;
    if (code?.startsWith('Z_') === true) throw new ArchiveError('it is damaged, or not a .tar.gz file');
    throw cause;
  } finally {
    input.destroy();
  }
}

/** Unpacks into an empty folder. Returns the links that were skipped. */
export async function unpackArchive(
  path: string,
  folder: string,
  except: readonly string[],
): Promise<readonly string[]> {
  const links: TarEntry[] = [];
  await readArchive(path, async (entry, content) => {
    const target = join(folder, entry.path);
    if (entry.type === 'link') {
      links.push(entry);
      return;
    }
    if (entry.type === 'folder') {
      fs.mkdirSync(target, { recursive: true });
      return;
    }
    const isKept = !except.includes(entry.path);
    if (isKept) fs.mkdirSync(dirname(target), { recursive: true });
    // A2
    const fd = isKept ? fs.openSync(target, 'wx', entry.mode | 0o600) : undefined;
    try {
      for await (const chunk of content) if (fd !== undefined) writeWhole(fd, chunk);
      if (fd !== undefined) fs.futimesSync(fd, entry.mtime, entry.mtime);
    } finally {
      if (fd !== undefined) fs.closeSync(fd);
    }
  });
  return unpackLinks(links, folder);
}

/** A3 */
function unpackLinks(links: readonly TarEntry[], folder: string): readonly string[] {
  const paths = new Set(links.map(({ path }) => path));
  const leftOut: string[] = [];
  for (const { path, target = '' } of links) {
    if (isBelowOne(path, paths) || !staysInside(path, target)) {
      leftOut.push(path);
      continue;
    }
    fs.mkdirSync(dirname(join(folder, path)), { recursive: true });
    fs.symlinkSync(target, join(folder, path));
  }
  return leftOut;
}

function isBelowOne(path: string, others: ReadonlySet<string>): boolean {
  for (let cut = path.lastIndexOf('/'); cut > 0; cut = path.lastIndexOf('/', cut - 1)) {
    if (others.has(path.slice(0, cut))) return true;
  }
  return false;
}

/**
 * `..` only at the start and not above the top, then down. The folders it passes through may be links, which follow the same rule, so
 * no chain of them leads out.
 */
function staysInside(path: string, target: string): boolean {
  if (target === '' || target.startsWith('/') || /[\\\0]/.test(target)) return false;
  const names = target.split('/');
  const down = names.findIndex((name) => name !== '..');
  const ups = down === -1 ? names.length : down;
  return ups < path.split('/').length && !names.slice(ups).includes('..');
}

/** Reads a given number of bytes from a stream of chunks. */
class ByteSource {
  readonly #chunks: AsyncIterator<Buffer>;
  readonly #limits: Limits;
  #rest: Buffer = Buffer.alloc(0);

  constructor(stream: AsyncIterable<Buffer>, limits: Limits) {
    this.#chunks = stream[Symbol.asyncIterator]();
    this.#limits = limits;
  }

  async take(count: number): Promise<Buffer> {
    const parts: Buffer[] = [];
    for await (const chunk of this.content(count)) parts.push(chunk);
    return Buffer.concat(parts);
  }

  async *content(count: number): AsyncGenerator<Buffer> {
    for (let left = count; left > 0; ) {
      if (this.#rest.length === 0) {
        const next = await this.#chunks.next();
        if (next.done === true) throw new ArchiveError('it is truncated');
        this.#rest = next.value;
        this.#limits.addBytes(next.value.length);
      }
      const part = this.#rest.subarray(0, left);
      this.#rest = this.#rest.subarray(part.length);
      left -= part.length;
      yield part;
    }
  }
}
