import type { Failure } from '../model/failure.ts';
import { LateFile } from './late-file.ts';
import { createMasker, type Masker } from './mask.ts';
import type { CapturedOutput, OutputRequest } from './request.ts';
import { HeadBuffer, TailRing } from './stream-ends.ts';

/** Mask first, then everybody who is to see the stream. Memory: the head, the tail and nothing that grows. */
export class OutputSink {
  readonly #masker: Masker;
  readonly #logs: readonly LateFile[];
  readonly #alwaysMade: readonly LateFile[];
  readonly #head: HeadBuffer;
  readonly #tail: TailRing;
  readonly #onOutput: ((chunk: Buffer) => void) | undefined;
  #bytes = 0;

  constructor(request: OutputRequest, mask: readonly string[], onOutput?: (chunk: Buffer) => void) {
    this.#masker = createMasker(mask);
    this.#logs = request.files.map((path) => new LateFile(path));
    this.#alwaysMade = (request.alwaysMade ?? []).map((path) => new LateFile(path));
    this.#head = new HeadBuffer(request.headBytes);
    this.#tail = new TailRing(request.tailBytes);
    this.#onOutput = onOutput;
  }

  /**
   * Before the process starts: a log of an earlier try is not mistaken for this one's, and a user's file is there and empty
   * whatever the process prints. It stays open, so that what the process does to its path later changes nothing.
   */
  prepare(): Failure | undefined {
    let failure: Failure | undefined;
    for (const log of this.#logs) failure ??= log.remove();
    for (const file of this.#alwaysMade) failure ??= file.open();
    return failure;
  }

  write(chunk: Buffer): Failure | undefined {
    return this.#deliver(this.#masker.push(chunk));
  }

  end(): Failure | undefined {
    let rest: Failure | undefined;
    let closing: Failure | undefined;
    try {
      rest = this.#deliver(this.#masker.end());
    } finally {
      closing = this.#each((file) => file.close());
    }
    return rest ?? closing;
  }

  captured(): CapturedOutput {
    return { bytes: this.#bytes, head: this.#head.bytes(), tail: this.#tail.bytes() };
  }

  #deliver(bytes: Buffer): Failure | undefined {
    if (bytes.length === 0) return undefined;
    this.#bytes += bytes.length;
    this.#head.push(bytes);
    this.#tail.push(bytes);
    const failure = this.#each((file) => file.write(bytes));
    this.#onOutput?.(bytes);
    return failure;
  }

  /** All of them, also after one has failed; answers the first failure. */
  #each(action: (file: LateFile) => Failure | undefined): Failure | undefined {
    let failure: Failure | undefined;
    for (const file of [...this.#logs, ...this.#alwaysMade]) {
      const problem = action(file);
      failure ??= problem;
    }
    return failure;
  }
}
