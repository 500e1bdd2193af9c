import fs from 'node:fs';
import { dirname } from 'node:path';
import type { Failure } from '../model/failure.ts';
import { makeOneFolder } from '../store/make-folder.ts';
import { openPlainTo } from '../store/plain-file.ts';
import { attempt, errorCode } from './file-failure.ts';
import type { OpenFile } from './request.ts';

/** Created with its first byte: creating a file costs as much as starting a process. After a failure it accepts no more. */
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

/** The caller opened it and closes it. After a failure it accepts no more. */
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

/** Creates its folder if it is missing, but no parent: a tree that was moved away is not created again in its old place. */
export function openLog(path: string, to: 'write' | 'create'): number {
  try {
    return openPlainTo(path, { to });
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error;
    makeOneFolder(dirname(path));
    return openPlainTo(path, { to });
  }
}
