import fs from 'node:fs';
import { dirname } from 'node:path';
import type { Failure } from '../model/failure.ts';
import { makeOneFolder } from '../store/make-folder.ts';
import { openPlainTo } from '../store/plain-file.ts';
import { attempt, errorCode } from './file-failure.ts';
import type { OpenFile } from './request.ts';

/** Made with its first byte: making a file costs as much as starting a process. After a failure it takes no more. */
export class LateFile {
  readonly #path: string;
  #descriptor: number | undefined;
  #failure: Failure | undefined;

  constructor(path: string) {
    this.#path = path;
  }

  remove(): Failure | undefined {
    return removeFile(this.#path);
  }

  write(bytes: Buffer): Failure | undefined {
    this.#failure ??= attempt('write', this.#path, () => {
      this.#descriptor ??= openLog(this.#path, 'write');
      writeAll(this.#descriptor, bytes);
    });
    return this.#failure;
  }

  close(): Failure | undefined {
    const descriptor = this.#descriptor;
    this.#descriptor = undefined;
    if (descriptor === undefined) return undefined;
    return attempt('write', this.#path, () => fs.closeSync(descriptor));
  }
}

/** Somebody else opened it and closes it. After a failure it takes no more. */
export class GivenFile {
  readonly #file: OpenFile;
  #failure: Failure | undefined;

  constructor(file: OpenFile) {
    this.#file = file;
  }

  write(bytes: Buffer): Failure | undefined {
    this.#failure ??= attempt('write', this.#file.path, () => writeAll(this.#file.descriptor, bytes));
    return this.#failure;
  }
}

function writeAll(descriptor: number, bytes: Buffer): void {
  for (let at = 0; at < bytes.length; ) at += fs.writeSync(descriptor, bytes, at);
}

export function removeFile(path: string): Failure | undefined {
  return attempt('remove', path, () => {
    if (fs.existsSync(path)) fs.unlinkSync(path);
  });
}

/** Its folder is made where it is missing, and none above it: what was moved away is not made anew in its old place. */
export function openLog(path: string, to: 'write' | 'create'): number {
  try {
    return openPlainTo(path, { to });
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error;
    makeOneFolder(dirname(path));
    return openPlainTo(path, { to });
  }
}
