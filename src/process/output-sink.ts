import fs from 'node:fs';
import { dirname } from 'node:path';
import type { Failure } from '../model/failure.ts';
import { attempt, errorCode } from './file-failure.ts';
import { createMasker, type Masker } from './mask.ts';
import type { CapturedOutput, OutputRequest } from './request.ts';

/** Mask first, then everybody who is to see the stream. Memory: the head, the tail and nothing that grows. */
export class OutputSink {
  readonly #masker: Masker;
  readonly #files: LateFile[];
  readonly #head: HeadBuffer;
  readonly #tail: TailRing;
  readonly #onOutput: ((chunk: Buffer) => void) | undefined;
  readonly #alwaysMade: number;
  #bytes = 0;

  constructor(request: OutputRequest, mask: readonly string[], onOutput?: (chunk: Buffer) => void) {
    this.#masker = createMasker(mask);
    this.#files = [...request.files, ...(request.alwaysMade ?? [])].map((path) => new LateFile(path));
    this.#head = new HeadBuffer(request.headBytes);
    this.#tail = new TailRing(request.tailBytes);
    this.#onOutput = onOutput;
    this.#alwaysMade = (request.alwaysMade ?? []).length;
  }

  /**
   * Before the process starts: a log of an earlier try is not mistaken for this one's, and a user's file is there and empty
   * whatever the process prints. It stays open, so that what the process does to its path later changes nothing.
   */
  prepare(): Failure | undefined {
    const logs = this.#files.length - this.#alwaysMade;
    let failure: Failure | undefined;
    for (const [index, file] of this.#files.entries()) failure ??= index < logs ? file.remove() : file.open();
    return failure;
  }

  write(chunk: Buffer): Failure | undefined {
    return this.#deliver(this.#masker.push(chunk));
  }

  end(): Failure | undefined {
    let failure = this.#deliver(this.#masker.end());
    for (const file of this.#files) {
      const problem = file.close();
      failure ??= problem;
    }
    this.#files.length = 0;
    return failure;
  }

  captured(): CapturedOutput {
    return { bytes: this.#bytes, head: this.#head.bytes(), tail: this.#tail.bytes() };
  }

  #deliver(bytes: Buffer): Failure | undefined {
    if (bytes.length === 0) return undefined;
    this.#bytes += bytes.length;
    this.#head.push(bytes);
    this.#tail.push(bytes);
    let failure: Failure | undefined;
    for (const file of this.#files) {
      const problem = file.write(bytes);
      failure ??= problem;
    }
    this.#onOutput?.(bytes);
    return failure;
  }
}

/** Made with its first byte: making a file costs as much as starting a process. After a failure it takes no more. */
class LateFile {
  readonly #path: string;
  #descriptor: number | undefined;
  #failure: Failure | undefined;

  constructor(path: string) {
    this.#path = path;
  }

  remove(): Failure | undefined {
    return removeFile(this.#path);
  }

  open(): Failure | undefined {
    return attempt('write', this.#path, () => {
      this.#descriptor = openForWriting(this.#path);
    });
  }

  write(bytes: Buffer): Failure | undefined {
    this.#failure ??= attempt('write', this.#path, () => {
      this.#descriptor ??= openForWriting(this.#path);
      for (let at = 0; at < bytes.length; ) at += fs.writeSync(this.#descriptor, bytes, at);
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

export function removeFile(path: string): Failure | undefined {
  return attempt('remove', path, () => {
    if (fs.existsSync(path)) fs.unlinkSync(path);
  });
}

/** Its folder is made where it is missing; a link in its place is not followed. */
function openForWriting(path: string): number {
  const { O_WRONLY, O_CREAT, O_TRUNC, O_NOFOLLOW } = fs.constants;
  const flags = O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW;
  try {
    return fs.openSync(path, flags, 0o600);
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error;
    fs.mkdirSync(dirname(path), { recursive: true });
    return fs.openSync(path, flags, 0o600);
  }
}

/** The first bytes of a stream, growing with what comes up to its limit. */
class HeadBuffer {
  readonly #limit: number;
  #buffer = Buffer.alloc(0);
  #length = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  push(bytes: Buffer): void {
    const taken = Math.min(bytes.length, this.#limit - this.#length);
    if (taken <= 0) return;
    if (this.#length + taken > this.#buffer.length) {
      const grown = Buffer.alloc(
        Math.min(this.#limit, Math.max(2 * this.#buffer.length, this.#length + taken)),
      );
      this.#buffer.copy(grown, 0, 0, this.#length);
      this.#buffer = grown;
    }
    bytes.copy(this.#buffer, this.#length, 0, taken);
    this.#length += taken;
  }

  bytes(): Buffer {
    return this.#buffer.subarray(0, this.#length);
  }
}

/** The last bytes of a stream. */
class TailRing {
  readonly #limit: number;
  #ring: Buffer | undefined;
  #total = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  push(bytes: Buffer): void {
    if (this.#limit === 0) return;
    this.#ring ??= Buffer.alloc(this.#limit);
    const kept = bytes.subarray(Math.max(0, bytes.length - this.#limit));
    this.#total += bytes.length;
    const start = (this.#total - kept.length) % this.#limit;
    const copied = kept.copy(this.#ring, start);
    kept.copy(this.#ring, 0, copied);
  }

  bytes(): Buffer {
    if (this.#ring === undefined) return Buffer.alloc(0);
    if (this.#total <= this.#limit) return this.#ring.subarray(0, this.#total);
    const start = this.#total % this.#limit;
    return Buffer.concat([this.#ring.subarray(start), this.#ring.subarray(0, start)]);
  }
}
