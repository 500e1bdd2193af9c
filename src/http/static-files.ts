/** The page itself: a closed list of files that the build made. Anything else that is not `/api` is an address of the page. */
import fs from 'node:fs';
import { extname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { type Answer, notFound } from './requests/answer.ts';

const TYPES: { readonly [extension: string]: string } = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.woff2': 'font/woff2',
  '.svg': 'image/svg+xml',
  '.webmanifest': 'application/manifest+json',
};

export class StaticFiles {
  readonly #folder: string;
  readonly #names: ReadonlySet<string>;
  readonly #read = new Map<string, { readonly bytes: Buffer; readonly zipped: Buffer | undefined }>();

  constructor(folder: string) {
    this.#folder = folder;
    this.#names = new Set(fs.existsSync(folder) ? fs.readdirSync(folder) : []);
  }

  /** `path` is that of a request; names have no folders. */
  answer(path: string, acceptsGzip: boolean): Answer {
    const asked = path.slice(1);
    const name = this.#names.has(asked) ? asked : 'index.html';
    if (name === 'index.html' && (!this.#names.has(name) || /^[^/]*\.[a-z0-9]+$/.test(asked)))
      return notFound('file');
    const { bytes, zipped } = this.#file(name);
    const isFont = name.endsWith('.woff2');
    return {
      type: 'bytes',
      body: acceptsGzip && zipped !== undefined ? zipped : bytes,
      headers: {
        'content-type': TYPES[extname(name)] ?? 'application/octet-stream',
        ...(acceptsGzip && zipped !== undefined ? { 'content-encoding': 'gzip' } : {}),
        ...(isFont ? { 'cache-control': 'private, max-age=604800' } : {}),
      },
    };
  }

  #file(name: string): { readonly bytes: Buffer; readonly zipped: Buffer | undefined } {
    const known = this.#read.get(name);
    if (known !== undefined) return known;
    const bytes = fs.readFileSync(join(this.#folder, name));
    const file = { bytes, zipped: name.endsWith('.woff2') ? undefined : gzipSync(bytes) };
    this.#read.set(name, file);
    return file;
  }
}
