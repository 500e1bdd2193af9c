/** The first bytes of a stream, growing up to a limit. */
export class HeadBuffer {
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
export class TailRing {
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
